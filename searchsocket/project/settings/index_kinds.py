"""Kinds of approximate vector index, for the sections of the databases that have them."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from searchsocket.project.settings.section import SettingsSection

IndexKind = Literal["exact", "hnsw"]


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
