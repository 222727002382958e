"""Base of all sections of the settings, and the kinds of approximate vector index that some of them have."""

import re
from typing import Annotated, ClassVar, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

_WEB = re.compile(r"https?://[^/?#\s]+", re.IGNORECASE)
_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*:")

IndexKind = Literal["exact", "hnsw"]


def _web_address(value: str) -> str:
    if value and not _WEB.match(value):
        raise ValueError("must be a URL that starts with http:// or https:// and has a host")
    return value


def _web_address_or_path(value: str) -> str:
    return _web_address(value) if _SCHEME.match(value) or value.startswith("//") else value


def listed(value: object) -> object:
    """Accept a single name as a list of one; strict types need a tuple."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


S = TypeVar("S", bound="SettingsSection")
Count = Annotated[int, Field(ge=1)]
WebAddress = Annotated[str, AfterValidator(_web_address)]  # "" = none
WebAddressOrPath = Annotated[str, AfterValidator(_web_address_or_path)]


class SettingsSection(BaseModel):
    """Base of the sections: frozen, no unknown keys, no silent conversions."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def section(self, kind: type[S]) -> S:
        """Return the section below this one that an extension brings; its defaults if nothing configures it."""
        return next((value for _, value in self if isinstance(value, kind)), None) or kind()


class IndexParameters(SettingsSection):
    """Parameters of one kind of index; the section of a database names it like the kind."""

    effort: ClassVar[str]  # the parameter with which a query finds more of the nearest vectors


class HnswSettings(IndexParameters):
    """A graph of vectors. Larger numbers find more of the nearest chunks and take more time."""

    effort: ClassVar[str] = "ef"
    m: Annotated[int, Field(ge=4, le=64)] = 16  # links of a vector, which take memory
    ef_construction: Annotated[int, Field(ge=8, le=512)] = 200  # vectors compared per vector while the graph is built
    ef: Annotated[int, Field(ge=10, le=10_000)] = 200  # vectors that a query compares, at least

    @model_validator(mode="after")
    def _construction_looks_far_enough(self) -> Self:
        if self.ef_construction < 2 * self.m:
            raise ValueError(f"ef_construction must be at least twice m: {2 * self.m}")
        return self
