"""Kinds of vector index on a Milvus server, and how a query is sent to each."""

from collections.abc import Mapping
from dataclasses import dataclass

from searchsocket.extensions.milvus.settings import MilvusSettings
from searchsocket.stores.base.naming import index_text
from searchsocket.system.json_text import JsonObject
from searchsocket.types import EXACT

_MAX_EF = 32_768
_AUTOMATIC = "AUTOINDEX"  # Zilliz Cloud replaces any kind by this one


@dataclass(frozen=True, slots=True)
class MilvusKind:
    """A kind of vector index with its parameters."""

    text: str  # see `VectorLimits.index`
    server_name: str
    build: Mapping[str, int]  # parameters of its construction
    effort_name: str = ""  # the parameter of queries; "" = it has no such parameter
    effort: int = 0
    max_effort: int = 0  # finds nearly all of the nearest rows, and takes much longer

    @property
    def is_exact(self) -> bool:
        return self.text == EXACT

    def difference(self, index: Mapping[str, object]) -> str:
        """Name the first difference between the index of a collection and this kind; "" if there is none.

        Args:
            index: The server's description; empty = no index. A missing parameter counts as equal.
        """
        if (name := index.get("index_type")) == _AUTOMATIC:
            return ""
        if name != self.server_name:
            return f"is of kind {name or 'none'}, not {self.server_name}"
        wrong = (f"has {key} {index[key]}, not {value}" for key, value in self.build.items() if key in index
                 and str(index[key]) != str(value))  # fmt: skip
        return next(wrong, "")

    def search_parameters(self, limit: int, *, thorough: bool = False) -> JsonObject:
        """The parameters of a query for so many rows.

        Args:
            thorough: Find nearly all of the nearest rows.
        """
        # "Set this parameter to 10 for the most accurate results" (Zilliz Cloud, which chooses the kind of index
        # itself); others ignore it.
        parameters = {"level": 10}
        if self.effort_name:
            effort = self.max_effort if thorough else self.effort
            if self.effort_name == "search_list":
                effort = min(effort, max(200, 10 * limit))  # the server refuses more
            parameters[self.effort_name] = effort if self.effort_name == "nprobe" else max(effort, limit)
        return {"params": parameters}


FLAT = MilvusKind(EXACT, "FLAT", {})


def kind_of(settings: MilvusSettings) -> MilvusKind:
    """The kind of index that the settings name."""
    hnsw, ivf, diskann = settings.hnsw, settings.ivf_sq8, settings.diskann
    match settings.index:
        case "hnsw":
            build = {"M": hnsw.m, "efConstruction": hnsw.ef_construction}
            return MilvusKind(index_text("hnsw", hnsw.model_dump()), "HNSW", build, "ef", hnsw.ef, _MAX_EF)
        case "ivf_sq8":
            text = index_text("ivf_sq8", ivf.model_dump())
            return MilvusKind(text, "IVF_SQ8", {"nlist": ivf.nlist}, "nprobe", ivf.nprobe, ivf.nlist)
        case "diskann":
            text = index_text("diskann", diskann.model_dump())
            return MilvusKind(text, "DISKANN", {}, "search_list", diskann.search_list, _MAX_EF)
        case _:
            return FLAT


def is_automatic(index: Mapping[str, object]) -> bool:
    """Return True if the server chose the kind itself."""
    return bool(index.get("index_type") == _AUTOMATIC)
