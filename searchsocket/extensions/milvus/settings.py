"""The settings `vector.milvus`."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from searchsocket.project.settings.section import HnswSettings, IndexParameters, SettingsSection

MilvusIndexKind = Literal["exact", "hnsw", "ivf_sq8", "diskann"]


class IvfSettings(IndexParameters):
    """Groups of similar vectors, with a byte per number; a query compares the vectors of the nearest groups."""

    effort: ClassVar[str] = "nprobe"
    nlist: Annotated[int, Field(ge=1, le=65_536)] = 1_024  # groups
    nprobe: Annotated[int, Field(ge=1, le=65_536)] = 64  # groups that a query compares

    @model_validator(mode="after")
    def _probes_are_lists(self) -> Self:
        if self.nprobe > self.nlist:
            raise ValueError(f"nprobe must be at most nlist: {self.nlist}")
        return self


class DiskannSettings(IndexParameters):
    """A graph on the server's disk."""

    effort: ClassVar[str] = "search_list"
    search_list: Annotated[int, Field(ge=10, le=10_000)] = 200  # candidates that a query keeps, at least


class MilvusSettings(SettingsSection):
    uri_env: Annotated[str, Field(min_length=1)] = "MILVUS_URI"  # environment variable with the server's address
    token_env: str = "MILVUS_TOKEN"  # noqa: S105  the variable with `user:password` or an API key; "" = it wants none
    collection: str = ""  # prefix of collection names; "" = `<project id>_chunks`
    index: MilvusIndexKind = "exact"  # others: faster on large sites, and most of the nearest chunks instead of all
    hnsw: HnswSettings = HnswSettings()
    ivf_sq8: IvfSettings = IvfSettings()
    diskann: DiskannSettings = DiskannSettings()
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0  # for each call

    @field_validator("index", mode="before")
    @classmethod
    def _flat_is_exact(cls, value: object) -> object:
        return "exact" if value == "flat" else value
