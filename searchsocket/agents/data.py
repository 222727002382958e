"""Texts of pages and files, as a language model may be given them: marked as data, with nothing in them that hides.

Whoever wrote a page may have written it for the agent that reads it. What is quoted is therefore fenced by a mark that
the text itself cannot hold, and characters that steer or vanish are written out.
"""

import unicodedata
from hashlib import sha256
from typing import Any

from searchsocket.text.hidden import hidden_positions

_VISIBLE = frozenset(
    "\n\t"
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2\u0890\u0891"  # signs of Arabic and Syriac, which are seen
)
# Joiners of letters and emoji, and which way a letter runs: where they are needed; see `hidden_positions`.
_NEEDED = frozenset("\u200c\u200d\u200e\u200f\u061c")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_MARK_CHARS = 12  # of a hash over the text: to hold its own, a text would have to be searched for through 2**48


def visible(text: str) -> str:
    """The text with controls, overrides of direction, tags and the like written as `⟨U+202E⟩`."""
    if text.isascii() and text.isprintable():
        return text
    hidden = frozenset(hidden_positions(text))
    return "".join(_escaped(char) if at in hidden else _visible(char) for at, char in enumerate(text))


def visible_in(value: Any) -> Any:
    """A JSON value with every text in it made visible."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [visible_in(one) for one in value]
    if isinstance(value, dict):
        return {name: visible_in(one) for name, one in value.items()}
    return value


def quoted(text: str) -> str:
    """A few lines of a page, each behind `> `."""
    return "\n".join(f"> {line}" for line in visible(text).splitlines())


def fenced(text: str, origin: str) -> str:
    """A long text between two lines that name where it is from, and that nothing in it can imitate."""
    clean = visible(text)
    mark = sha256(clean.encode()).hexdigest()[:_MARK_CHARS]
    source = visible(origin).replace('"', "%22").replace("\n", " ")
    return f'<data from="{source}" mark="{mark}">\n{clean}\n</data mark="{mark}">'


def _visible(char: str) -> str:
    if char in _VISIBLE or char in _NEEDED or unicodedata.category(char) not in _HIDDEN:
        return char
    return f"⟨U+{ord(char):04X}⟩"


def _escaped(char: str) -> str:
    """A character that nobody sees, as its number; without a soft hyphen, whose only use is the end of a line."""
    return "" if char == "\u00ad" else f"⟨U+{ord(char):04X}⟩"
