"""Rows per label, computed from the columns in memory without a file or table of their own."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.labels import KIND, LANGUAGE, kind_label, language_labels
from searchsocket.stores.local.catalogue.facts import TextColumn
from searchsocket.stores.local.numbering import Rows
from searchsocket.text.facets import split_label

_FACETS, _TAGS = "facets", "tags"
# For each column, the labels of a row by the text of the row in that column.
_LABELS: Mapping[str, Callable[[str], Iterable[str]]] = {
    KIND: lambda text: (kind_label(text),),
    LANGUAGE: language_labels,
    _FACETS: json.loads,
    _TAGS: json.loads,
}


class LabelledRows:
    """The labels of all rows, hidden ones included; safe to share between threads."""

    def __init__(self, texts: Mapping[str, TextColumn]) -> None:
        """Args: texts: columns of every row, by name."""
        self._texts = texts
        self._codes: dict[str, dict[str, list[int]]] = {}  # per column, once a query needs it: label -> codes of texts
        self._facet_names: frozenset[str] | None = None  # read by every query

    def any_of(self, group: Sequence[str]) -> NDArray[np.bool_]:
        """Rows with one of these labels; shape (rows,)."""
        name = split_label(group[0])[0]
        return self._carries(name if name in (KIND, LANGUAGE) else _FACETS, group)

    def tagged(self, tag: str) -> NDArray[np.bool_]:
        """Rows with a tag; shape (rows,)."""
        return self._carries(_TAGS, [tag])

    def _carries(self, name: str, group: Sequence[str]) -> NDArray[np.bool_]:
        column, codes = self._texts[name], self._codes_of(name)
        matches = np.zeros(len(column.bounds) - 1, np.bool_)
        for label in group:
            matches[codes.get(label, [])] = True
        carries: NDArray[np.bool_] = matches[column.codes]
        return carries

    def facets_of(self, rows: Rows) -> list[tuple[str, ...]]:
        """The facets of each row's page."""
        from pydantic_core import from_json  # needed only to count or filter by facets

        return [tuple(from_json(text)) for text in self._texts[_FACETS].take(rows)]

    def languages_of(self, rows: Rows) -> list[str]:
        """The language of each row's page."""
        return self._texts[LANGUAGE].take(rows)

    def facet_names(self) -> frozenset[str]:
        """The names of the facets of all pages."""
        if self._facet_names is None:
            self._facet_names = frozenset(split_label(label)[0] for label in self._codes_of(_FACETS))
        return self._facet_names

    def languages(self) -> frozenset[str]:
        """The languages of all pages."""
        return frozenset(filter(None, self._texts[LANGUAGE].distinct()))

    def _codes_of(self, name: str) -> dict[str, list[int]]:
        codes = self._codes.get(name)
        if codes is None:
            codes = {}
            for code, text in enumerate(self._texts[name].distinct()):
                for label in _LABELS[name](text):
                    codes.setdefault(label, []).append(code)
            self._codes[name] = codes  # two threads may both compute it, with the same result
        return codes
