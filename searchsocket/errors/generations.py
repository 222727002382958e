"""What is wrong with the generation that is asked for."""

from collections.abc import Sequence

from searchsocket.errors.base import SearchSocketError


class ScopeNotIndexed(SearchSocketError):
    """Nothing was published yet for the scope."""

    code = "SCOPE_NOT_INDEXED"

    def __init__(self, scope: str) -> None:
        super().__init__(f"scope {scope!r} has no index yet; run `searchsocket index --scope {scope}`")


class CodeNotIndexed(ScopeNotIndexed):
    """Nothing was published yet of the source code of the scope."""

    def __init__(self, scope: str) -> None:
        SearchSocketError.__init__(
            self,
            f"the code of scope {scope!r} has no index yet; run `searchsocket index --only code --scope {scope}`",
        )


class NoGenerationBefore(SearchSocketError):
    """The scope has an index, and none before it to go back to."""

    code = "NO_GENERATION_BEFORE"

    def __init__(self, scope: str) -> None:
        super().__init__(f"no generation before the live one of scope {scope!r} is kept, so there is nothing to go to")


class GenerationNotKept(SearchSocketError):
    """The scope has no such generation, or not any more."""

    code = "GENERATION_NOT_KEPT"

    def __init__(self, scope: str, asked: str, kept: Sequence[str]) -> None:
        super().__init__(
            f"scope {scope!r} keeps no generation {asked[:100]!r}; there "
            + (f"are {', '.join(kept)}" if kept else "is none")
        )


class EmbeddingModelMismatch(SearchSocketError):
    """The scope was indexed with another model, so its vectors cannot be compared."""

    code = "EMBEDDING_MODEL_MISMATCH"

    def __init__(self, scope: str, indexed: str, configured: str) -> None:
        super().__init__(
            f"scope {scope!r} was indexed with {indexed!r} but {configured!r} is configured; "
            "run `searchsocket index --force` to migrate it"
        )


class IndexCorrupt(SearchSocketError):
    """Files of an index are damaged, half there, or of another project."""

    code = "INDEX_CORRUPT"


class PageTextsMissing(SearchSocketError):
    """The index was published without the texts of its pages: by an older version."""

    code = "PAGE_TEXTS_MISSING"

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"the index of scope {scope!r} holds no page texts, since an older version wrote it; "
            f"run `searchsocket index --scope {scope}` to add them"
        )
