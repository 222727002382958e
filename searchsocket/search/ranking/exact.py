"""What a query says to the letter: the title of a page, or an identifier that few pages hold (docs/ranking.md)."""

import re
from dataclasses import dataclass
from functools import lru_cache

# Above everything that likeness and boosts can add up to: who types one word means that word ...
_ALONE = 1.1
# ... and where it is the title of a page, that page before others that hold it.
_TITLE = 2.2
# An identifier among other words says much, and the other words say the rest.
_AMONG_WORDS = 0.3
# What prose does not hold: `a_b`, `$x`, `a::b`, `ab.cd`, `f()`, `camelCase`, `--flag`.
_NAME = re.compile(r"(?=.*[A-Za-z])(?:.*[_$].*|.*::.*|.*\w\w\.\w\w.*|.*\(\).*|.*[a-z][A-Z].*|--.*)")
_MAX_NAMES = 10  # each is looked for in the text of every candidate
_EDGES = " \t?!,;\"'`“”"


@dataclass(frozen=True, slots=True)
class Exactness:
    """How a query is compared to the letter; made once a query."""

    title: str
    names: tuple[str, ...]

    def of_title(self, title: str) -> float:
        """What a chunk's score gains where the query is the title of its page."""
        return _TITLE if self.title and _folded(title) == self.title else 0.0

    def of(self, title: str, url: str, text: str) -> float:
        """What a chunk's score gains: most where the query is the title, less for the identifiers that it holds."""
        if not self.names or self.of_title(title):
            return self.of_title(title)
        text = f"{text}\n{title}\n{url}".casefold()
        most = _ALONE if self.names == (self.title,) else _AMONG_WORDS
        return most * sum(name in text for name in self.names) / len(self.names)


def exactness(q: str) -> Exactness:
    """What of a query is taken to the letter: all of it as a title, and the identifiers in it."""
    words = [word.strip(_EDGES) for word in q.split()]
    # One word alone is meant as it is, whatever it looks like.
    names = [word for word in words if word and (len(words) == 1 or _NAME.fullmatch(word))]
    distinct = tuple(dict.fromkeys(name.casefold() for name in names))
    return Exactness(_folded(q.strip(_EDGES)), distinct[:_MAX_NAMES])


def names_identifier(q: str) -> bool:
    """Whether a query holds a word that prose does not: `a_b`, `f()`, `camelCase`, `--flag`."""
    return any(_NAME.fullmatch(word.strip(_EDGES)) for word in q.split())


@lru_cache(maxsize=1 << 12)  # titles repeat: from one chunk of a page to the next, and between queries
def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
