"""Exact search: a pattern for a page's text, and the letters that every matching page must contain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from searchsocket.stores.base import Letters
from searchsocket.text.words import plain_words

_RUN = re.compile("[a-z]+")
_INDEXED = range(3, 33)  # lengths of the words in the vocabulary of a record


@dataclass(frozen=True, slots=True)
class Spelling:
    """Words in a fixed order, with any white space between them."""

    text: str  # one line; single spaces, unless it is literal
    whole_words: bool = True  # an occurrence starts and ends at word boundaries
    match_case: bool = False
    literal: bool = False  # white space must match too

    @property
    def pattern(self) -> re.Pattern[str]:
        """Pattern of an occurrence."""
        parts = [self.text] if self.literal else self.text.split()
        pattern = r"\s+".join("".join(map(self._char, part)) for part in parts)
        if not self.whole_words:
            return re.compile(pattern)
        start = r"(?<!\w)" if re.match(r"\w", self.text) else ""
        end = r"(?!\w)" if re.match(r"\w", self.text[-1]) else ""
        return re.compile(start + pattern + end)

    @property
    def letters(self) -> Sequence[Letters]:
        """Letters that every page with an occurrence contains. Other pages may too; an empty list matches all pages."""
        if self.whole_words:
            return [Letters(word) for word in plain_words(self.text)]
        if not self.text.isascii():
            return []
        text = self.text.lower()
        runs = (run for run in _RUN.finditer(text) if len(run[0]) in _INDEXED)
        return [Letters(run[0], run.start() > 0 and run.end() < len(text)) for run in runs]

    def _char(self, char: str) -> str:
        # `re.IGNORECASE` would match the Kelvin sign with a k, unlike the index.
        cases = {char} if self.match_case else {case for case in (char, char.lower(), char.upper()) if len(case) == 1}
        return re.escape(char) if len(cases) == 1 else f"[{''.join(map(re.escape, sorted(cases)))}]"
