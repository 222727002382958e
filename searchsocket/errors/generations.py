"""Errors about the requested generation."""

from collections.abc import Sequence

from searchsocket.errors.base import SearchSocketError


class ScopeNotIndexed(SearchSocketError):
    """The scope has no published generation yet."""

    code = "SCOPE_NOT_INDEXED"

    def __init__(self, scope: str) -> None:
        super().__init__(f"scope {scope!r} has no index yet; run `searchsocket index --scope {scope}`")


class CodeNotIndexed(ScopeNotIndexed):
    """The source code of the scope has no published generation yet."""

    def __init__(self, scope: str, why: str = "") -> None:
        why = why or f"run `searchsocket index --only code --scope {scope}`"
        SearchSocketError.__init__(self, f"the code of scope {scope!r} has no index yet; {why}")


class NoGenerationBefore(SearchSocketError):
    """The scope has no previous generation to roll back to."""

    code = "NO_GENERATION_BEFORE"

    def __init__(self, scope: str) -> None:
        super().__init__(f"scope {scope!r} has no previous generation to roll back to")


class GenerationNotKept(SearchSocketError):
    """The scope does not have the requested generation."""

    code = "GENERATION_NOT_KEPT"

    def __init__(self, scope: str, name: str, names: Sequence[str]) -> None:
        super().__init__(f"scope {scope!r} has no generation {name[:100]!r}; available: {', '.join(names) or 'none'}")


class EmbeddingModelMismatch(SearchSocketError):
    """The scope was indexed with another model, so its vectors cannot be compared."""

    code = "EMBEDDING_MODEL_MISMATCH"

    def __init__(self, scope: str, indexed: str, configured: str) -> None:
        super().__init__(
            f"scope {scope!r} was indexed with {indexed!r} but {configured!r} is configured; "
            "run `searchsocket index --force` to migrate it"
        )


class IndexCorrupt(SearchSocketError):
    """Files of an index are damaged, incomplete, or belong to another project."""

    code = "INDEX_CORRUPT"


class IndexFormat(IndexCorrupt):
    """An older release wrote the index, in a format that this one does not read."""

    code = "INDEX_FORMAT"


class NewerRelease(SearchSocketError):
    """A newer release wrote a file, so this one must neither use nor replace it."""

    code = "NEWER_RELEASE"

    @classmethod
    def of(cls, where: str, what: str) -> "NewerRelease":
        """Return the error for a file, with what this release does not know in it."""
        return cls(
            f"{where} was written by a newer release of searchsocket ({what}); upgrade searchsocket on this machine"
        )


class PageTextsMissing(SearchSocketError):
    """The index has no page texts, because an older version published it."""

    code = "PAGE_TEXTS_MISSING"

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"the index of scope {scope!r} has no page texts, because an older version wrote it; run "
            f"`searchsocket index --scope {scope}` to add them"
        )
