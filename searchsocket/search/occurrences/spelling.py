"""Exact search: a pattern for a page's text, and the letters that every matching page must contain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from searchsocket.stores.base import Letters
from searchsocket.text.words import plain_words

_RUN = re.compile("[a-z]+")
_INDEXED = range(3, 33)  # letters of the words that the vocabulary of a record holds


@dataclass(frozen=True, slots=True)
class Spelling:
    """Words in their order, with any white space between them."""

    text: str  # one line; single spaces, unless it is literal
    whole_words: bool = True  # it begins and ends where words do
    match_case: bool = False
    literal: bool = False  # white space is that of the text too

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches every occurrence, none inside another."""
        parts = [self.text] if self.literal else self.text.split()
        written = r"\s+".join("".join(map(self._char, part)) for part in parts)
        if not self.whole_words:
            return re.compile(written)
        starts = r"(?<!\w)" if re.match(r"\w", self.text) else ""
        ends = r"(?!\w)" if re.match(r"\w", self.text[-1]) else ""
        return re.compile(starts + written + ends)

    @property
    def letters(self) -> Sequence[Letters]:
        """The letters of every page with an occurrence. Other pages may have them too; empty matches all pages."""
        if self.whole_words:
            return [Letters(word) for word in plain_words(self.text)]
        if not self.text.isascii():
            return []
        text = self.text.lower()
        runs = (run for run in _RUN.finditer(text) if len(run[0]) in _INDEXED)
        return [Letters(run[0], run.start() > 0 and run.end() < len(text)) for run in runs]

    def _char(self, char: str) -> str:
        # `re.IGNORECASE` would take the Kelvin sign for a k, which no index does.
        cases = {char} if self.match_case else {one for one in (char, char.lower(), char.upper()) if len(one) == 1}
        return re.escape(char) if len(cases) == 1 else f"[{''.join(map(re.escape, sorted(cases)))}]"
