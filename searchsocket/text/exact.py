"""Exact terms: tokens in an index that find every text with a term, and no other text.

A term matches whole words. Case matters only for words that look like code (camelCase, PascalCase, snake_case, dotted
names): `useState` does not match `usestate`, but `websocket`, `SQL` and `V4` match in any case. In scripts without
spaces between words, a term matches anywhere.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from searchsocket.text.late_pattern import LatePattern
from searchsocket.text.words import UNSPACED

_WORD_CHAR = rf"[^\W{UNSPACED}]"
_RUN = LatePattern(rf"[{UNSPACED}]|{_WORD_CHAR}+")
_ASCII_RUN = re.compile(r"\w+", re.ASCII)  # the same for ASCII texts, ten times as fast
_HUMP = re.compile(r"[a-z0-9][A-Z]")
_DOTTED = re.compile(r"[^\W\d]\w*\.[^\W\d]")
_CASED = "="  # prefix of a token whose case matters


def exact_tokens(text: str) -> set[str]:
    """The tokens of a text: its words in lower case, and words that look like code also in their own case."""
    if text.isascii():
        runs = set(_ASCII_RUN.findall(text))
        small = set(map(str.lower, runs))
        cased = [run for run in runs - small if _HUMP.search(run)]  # those with capitals
        cased += [run for run in runs if "_" in run] if "_" in text else ()
    else:
        runs, small = set(_RUN.findall(text)), set(_RUN.findall(text.lower()))
        cased = list(filter(_is_code, runs))
    return small.union([_CASED + run for run in cased])


def _is_code(word: str) -> bool:
    return "_" in word or (not word.islower() and _HUMP.search(word) is not None)


@dataclass(frozen=True)
class ExactTerm:
    """A term to match exactly; white space in it matches any white space."""

    text: str

    @cached_property
    def match_case(self) -> bool:
        """Return True if the term looks like code, so that case matters."""
        return any(map(_is_code, _RUN.findall(self.text))) or _DOTTED.search(self.text) is not None

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The tokens that every text with the term has; empty if the term has no letter or digit."""
        words = _RUN.findall(self.text.lower())
        cased = (_CASED + run for run in _RUN.findall(self.text) if self.match_case and _is_code(run))
        return tuple(dict.fromkeys((*words, *cased)))

    @property
    def is_token(self) -> bool:
        """Return True if the tokens alone prove that a text contains the term, so that no text need be read."""
        return _RUN.fullmatch(self.text if self.match_case else self.text.lower()) is not None

    def is_in(self, text: str) -> bool:
        """Return True if a text contains the term."""
        return self._pattern.search(text if self.match_case else text.lower()) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        term = self.text if self.match_case else self.text.lower()
        starts = rf"(?<!{_WORD_CHAR})" if re.match(_WORD_CHAR, term) else ""
        ends = rf"(?!{_WORD_CHAR})" if re.match(_WORD_CHAR, term[-1:]) else ""
        return re.compile(starts + r"\s+".join(map(re.escape, term.split())) + ends)
