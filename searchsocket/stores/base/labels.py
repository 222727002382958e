"""Labels for filters other than paths and tags: one text `name=value` per value, which any engine can look up."""

from collections.abc import Iterator, Sequence

from searchsocket.text.hidden import storable
from searchsocket.types import Filter

LANGUAGE, KIND = "language", "kind"  # names that no facet can have


def labels_of(kind: str, language: str, facets: Sequence[str]) -> tuple[str, ...]:
    """All labels of a chunk, from its kind and its page's language and facets."""
    return (kind_label(kind), *language_labels(language), *facets)


def kind_label(kind: str) -> str:
    """The label of a chunk's kind."""
    return f"{KIND}={kind}"


def language_labels(language: str) -> Iterator[str]:
    """Labels of a language and of the languages that include it: `pt-BR` is `pt` too."""
    parts = language.lower().split("-") if language else []
    return (f"{LANGUAGE}={'-'.join(parts[:count])}" for count in range(1, len(parts) + 1))


def groups_of(where: Filter) -> list[tuple[str, ...]]:
    """Label groups of a filter: a record must have one label of each group."""
    groups = [
        tuple(f"{LANGUAGE}={language.lower().replace('_', '-')}" for language in where.languages),
        tuple(map(kind_label, where.kinds)),
        *where.facets,
    ]
    return [tuple(map(storable, group)) for group in groups if group]
