"""Prepare texts of pages and files for a language model: marked as data, without hidden characters.

The text of a page may be a prompt injection. Quoted text is therefore fenced by a mark that it cannot contain, and
invisible and control characters are escaped.
"""

import unicodedata
from hashlib import sha256
from typing import Any

from searchsocket.text.hidden import hidden_positions

_VISIBLE = frozenset(
    "\n\t\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2\u0890\u0891"  # visible signs of Arabic and Syriac
)
# Joiners of letters and emoji, and direction marks; `hidden_positions` reports those that are not needed.
_NEEDED = frozenset("\u200c\u200d\u200e\u200f\u061c")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_MARK_CHARS = 12  # of a hash over the text; a text with its own hash would take about 2**48 attempts


def visible(text: str) -> str:
    """Escape control characters, direction overrides, tags and other hidden characters as `⟨U+202E⟩`."""
    if text.isascii() and text.isprintable():
        return text
    hidden = frozenset(hidden_positions(text))
    return "".join(_escaped(char) if at in hidden else _visible(char) for at, char in enumerate(text))


def visible_in(value: Any) -> Any:
    """Apply `visible` to every string in a JSON value."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [visible_in(item) for item in value]
    if isinstance(value, dict):
        return {name: visible_in(item) for name, item in value.items()}
    return value


def quoted(text: str) -> str:
    """Quote a few lines of a page, each after `> `."""
    return "\n".join(f"> {line}" for line in visible(text).splitlines())


def fenced(text: str, origin: str) -> str:
    """Fence a long text between two lines with its origin and a mark that the text cannot contain."""
    clean = visible(text)
    mark = sha256(clean.encode()).hexdigest()[:_MARK_CHARS]
    source = visible(origin).replace('"', "%22").replace("\n", " ")
    return f'<data from="{source}" mark="{mark}">\n{clean}\n</data mark="{mark}">'


def _visible(char: str) -> str:
    if char in _VISIBLE or char in _NEEDED or unicodedata.category(char) not in _HIDDEN:
        return char
    return f"⟨U+{ord(char):04X}⟩"


def _escaped(char: str) -> str:
    """Escape an invisible character by its number; drop a soft hyphen, which only matters at the end of a line."""
    return "" if char == "\u00ad" else f"⟨U+{ord(char):04X}⟩"
