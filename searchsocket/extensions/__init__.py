"""The door for all extensions, ours and those of other distributions; `base.py` describes what one brings."""

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

from searchsocket.errors import ConfigError
from searchsocket.extensions.base import Extension, Store, load

GROUP = "searchsocket.extensions"
_OURS = (
    "answers", "code", "demand", "documents", "crawl", "records", "fleet", "metrics", "llms", "export", "milvus",
    "pinecone", "pgvector", "qdrant",
)  # fmt: skip


@cache
def built_in() -> tuple[Extension, ...]:
    """The extensions of this distribution; one whose folder is missing is left out."""
    places = (f"{__name__}.{name}" for name in _OURS)
    return tuple(load(f"{place}:EXTENSION") for place in places if find_spec(place))


@cache
def installed() -> tuple[Extension, ...]:
    """The extensions of other distributions, in the order of their names.

    Raises:
        ConfigError: One is broken, or has the name of another.
    """
    return tuple(_others())


def extensions() -> tuple[Extension, ...]:
    """All extensions: ours, then those of other distributions."""
    return (*built_in(), *installed())


def corpus_names() -> tuple[str, ...]:
    """The corpora of this distribution: the pages of the site, and those of extensions, which have their names."""
    return ("site", *(extension.name for extension in built_in() if extension.corpora))


def store_named(provider: str) -> Store | None:
    """The database that `vector.provider` names; None if no extension brings it."""
    for known in (built_in, installed):  # the second one takes 40 ms
        if store := next((each.store for each in known() if each.name == provider), None):
            return store
    return None


def _others() -> Iterator[Extension]:
    from importlib.metadata import entry_points  # takes 40 ms

    taken = {extension.name for extension in built_in()}
    for point in sorted(entry_points(group=GROUP)):
        try:
            extension = point.load()
        except Exception as error:
            raise ConfigError(f"the extension {point.value!r} cannot be loaded ({type(error).__name__})") from error
        if not isinstance(extension, Extension) or extension.name in taken:
            problem = f"has the name {extension.name!r} of another one" if isinstance(extension, Extension) else ""
            raise ConfigError(f"the extension {point.value!r} {problem or 'is not an `Extension`'}; uninstall it")
        taken.add(extension.name)
        yield extension
