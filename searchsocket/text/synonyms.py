"""Synonyms of a project (`ranking.synonyms` and `curation.toml`): additional words that a query searches for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from searchsocket.text.words import QueryWord, parse_query, phrase_words

_MAX_OTHERS = 40  # synonyms of one word that is in many groups

Forms = tuple[str, ...]  # word forms in documents; several form a sequence


class SynonymSource(Protocol):
    """Synonyms that can change while an index is open."""

    def current(self) -> "Synonyms":
        """The current synonyms; the same object until they change."""


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Groups of entries, each of one or a few words; may be empty."""

    others_by_words: Mapping[Forms, tuple[Forms, ...]] = field(default_factory=dict)  # by an entry's query words
    _longest: int = 0  # words of the longest entry

    def current(self) -> "Synonyms":
        """Implements `SynonymSource`: these never change."""
        return self

    def of(self, words: Sequence[QueryWord]) -> dict[str, tuple[Forms, ...]]:
        """The synonyms of a query, by the exact form of each word that belongs to a group.

        Args:
            words: All words of the query in text order. An entry of several words must occur as a whole; then
                each of its words gets the other entries of the group.
        """
        keys = [_key(word) for word in words]
        others_of: dict[str, dict[Forms, None]] = {}
        for start in range(len(words) if self.others_by_words else 0):
            for stop in range(start + 1, min(start + self._longest, len(words)) + 1):
                for others in self.others_by_words.get(tuple(keys[start:stop]), ()):
                    for word in words[start:stop]:
                        others_of.setdefault(word.exact, {})[others] = None
        return {exact: tuple(others)[:_MAX_OTHERS] for exact, others in others_of.items()}


def make_synonyms(groups: Iterable[Sequence[str]]) -> Synonyms:
    """Read groups of entries from the settings; upper case and endings are ignored."""
    others: dict[Forms, dict[Forms, None]] = {}
    for group in groups:
        entries = {_query_forms(entry): _forms(entry) for entry in group}
        for typed in entries:
            others.setdefault(typed, {}).update(
                {forms: None for key, forms in entries.items() if key != typed and forms}
            )
    longest = max(map(len, others), default=0)
    return Synonyms({typed: tuple(forms) for typed, forms in others.items() if typed}, longest)


def _key(word: QueryWord) -> str:
    return word.stem or word.exact


def _query_forms(entry: str) -> Forms:
    """The forms of an entry in a query."""
    return tuple(_key(word) for word in parse_query(entry).order)


def _forms(entry: str) -> Forms:
    """The forms of an entry in a document: the main form of one word, or all words in sequence."""
    typed = _query_forms(entry)
    return typed if len(typed) == 1 else phrase_words(entry)


NO_SYNONYMS = Synonyms()
