"""A page that a program supplies as one JSON object."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from searchsocket.text.mistakes import explain_mistake

Scalar = str | int | float | bool | None


class PageRecord(BaseModel):
    """One page. `url`, and either `markdown` or `html`, are required."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Annotated[str, Field(min_length=1)]  # a path of the site, or an address below project.base_url
    title: str = ""  # "" = the first heading
    markdown: str | None = None
    html: str | None = None  # of the main content alone
    description: str = ""
    language: str = ""  # e.g. en or pt-BR
    tags: tuple[str, ...] = ()
    facets: Mapping[str, Scalar | list[Scalar]] = {}  # values of [facets] by name
    weight: Annotated[float, Field(ge=0, le=100)] = 1.0
    published: str = ""  # ISO 8601
    modified: str = ""

    @model_validator(mode="after")
    def _has_one_text(self) -> "PageRecord":
        if (self.markdown is None) == (self.html is None):
            raise ValueError("it must have markdown or html, and not both")
        return self


def read_record(line: bytes | str) -> PageRecord:
    """Parse a record from a line of JSON.

    Raises:
        ValueError: The line is not a record; the message names the field.
    """
    try:
        return PageRecord.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        message = explain_mistake(first)
        raise ValueError(f"{field}: {message}" if field else message) from None
