"""Find and escape hidden characters, except those that a script or emoji needs; and clean text for every file format.

They are invisible (Unicode: default-ignorable), control a terminal or the direction of a text, or have no meaning of
their own (private use). Any bytes can be encoded in them, so a page could contain a hidden message for a language
model. Every text that leaves goes through `visible`, `visible_in` or `visible_json`; snippets drop the characters.
"""

import json
import re
import unicodedata
from itertools import accumulate
from typing import Any

_IGNORABLE_CHARS = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# The rest of the categories Cc, Cf, Cs, Co, Zl and Zp, without line feed, tab and the visible signs of Arabic, Syriac
# and Kaithi.
_OTHER_CHARS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\uf8ff\ufff9-\ufffb\U00013430-\U00013438"
    "\U000f0000-\U000ffffd\U00100000-\U0010fffd"
)
_IGNORABLE = re.compile(f"[{_IGNORABLE_CHARS}]")
_SUSPECT = re.compile(f"[{_IGNORABLE_CHARS}{_OTHER_CHARS}]")
_PLAIN = bytes((*b"\n\t", *range(0x20, 0x7F)))
_JSON_ESCAPES = (rb"\u00", rb"\r", rb"\b", rb"\f")  # of control characters; also a backslash before such a letter
_SELECTED_SIGNS = (
    "0123456789#*\u2139\u24c2"  # other characters that can be text or emoji, besides symbols and punctuation
)
_DIRECTION_MARKS = "\u200e\u200f\u061c"
_LAST_IDEOGRAPH_SELECTOR = "\U000e0113"  # of the registered collections of variants


def hidden_positions(text: str) -> list[int]:
    """Positions of hidden characters that the surrounding text does not need."""
    if not _has_suspects(text):
        return []
    hidden: list[int] = []
    last_visible = -1
    for match in _SUSPECT.finditer(text):
        at = match.start()
        is_behind_another = last_visible == at - 1 and at > 0
        if _IGNORABLE.match(text, at) and _is_needed(text, at, is_behind_another=is_behind_another):
            last_visible = at
        else:
            hidden.append(at)
    return hidden


def visible(text: str) -> str:
    """Escape hidden characters as `⟨U+202E⟩`; drop soft hyphens, which only matter at the end of a line."""
    hidden = frozenset(hidden_positions(text))
    return "".join(_escaped(char) if at in hidden else char for at, char in enumerate(text)) if hidden else text


def visible_in(value: Any) -> Any:
    """Apply `visible` to every string in a JSON value; `marks` of a `text` keep their words."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list | tuple):
        return [visible_in(item) for item in value]
    if isinstance(value, dict):
        cleaned = {visible(name): visible_in(item) for name, item in value.items()}
        return {**cleaned, "marks": _moved(value["marks"], value["text"])} if _has_marks(value) else cleaned
    return value


def visible_json(data: bytes) -> bytes:
    """Apply `visible_in` to compact JSON; text without hidden characters costs one fast pass."""
    if any(escape in data for escape in _JSON_ESCAPES) or _has_suspects(data.translate(None, _PLAIN).decode()):
        return json.dumps(visible_in(json.loads(data)), ensure_ascii=False, separators=(",", ":")).encode()
    return data


def without_hidden(text: str) -> str:
    """Drop hidden characters."""
    hidden = frozenset(hidden_positions(text))
    return "".join(char for at, char in enumerate(text) if at not in hidden) if hidden else text


def _has_suspects(text: str) -> bool:
    # Distinct characters are few; the pattern takes 60 ns for each.
    return not (text.isascii() and text.isprintable()) and _SUSPECT.search("".join(set(text))) is not None


def _escaped(char: str) -> str:
    return "" if char == "\u00ad" else f"⟨U+{ord(char):04X}⟩"


def _has_marks(value: dict[str, Any]) -> bool:
    return bool(value.get("marks")) and isinstance(value.get("text"), str) and _has_suspects(value["text"])


def _moved(marks: list[tuple[int, int]], text: str) -> list[list[int]]:
    """Move [start, end) ranges to the same characters of the escaped text."""
    hidden = frozenset(hidden_positions(text))
    sizes = (len(_escaped(char)) if at in hidden else 1 for at, char in enumerate(text))
    positions = [0, *accumulate(sizes)]
    return [[positions[start], positions[end]] for start, end in marks]


def _is_needed(text: str, at: int, *, is_behind_another: bool) -> bool:
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if not before:
        return False
    if char == "\u200d" and _is_emoji(after):  # joined emoji, also after a selector
        return _is_emoji(before) or (before == "\ufe0f" and _is_emoji(text[at - 2 : at - 1]))
    if is_behind_another:
        return False
    if char in "\u200c\u200d":
        return _joins(before) and (_joins(after) or unicodedata.combining(before) == 9)
    if char in _DIRECTION_MARKS:
        neighbours = text[max(at - 100, 0) : at + 100]
        return any(
            unicodedata.bidirectional(neighbour) in ("R", "AL", "AN")
            for neighbour in neighbours
            if neighbour not in _DIRECTION_MARKS
        )
    if "\ufe00" <= char <= "\ufe0f":
        return _takes_selector(before, char)
    if "\u180b" <= char <= "\u180f":
        return "\u1820" <= before <= "\u18aa"
    if char == "\u2800":
        return "\u2801" <= before <= "\u28ff"
    return "\U000e0100" <= char <= _LAST_IDEOGRAPH_SELECTOR and _is_ideograph(before)


def _joins(char: str) -> bool:
    """Return True for a letter or mark of a joining script: from Arabic to the scripts of India."""
    return "\u0600" <= char <= "\u1cff" and unicodedata.category(char)[0] in "LM"


def _is_emoji(char: str) -> bool:
    return bool(char) and (unicodedata.category(char) in ("So", "Sk") or "\U0001f3fb" <= char <= "\U0001f3ff")


def _takes_selector(before: str, selector: str) -> bool:
    if selector in "\ufe0e\ufe0f":
        return (before > "\u00a8" and unicodedata.category(before)[0] in "SP") or before in _SELECTED_SIGNS
    return selector <= "\ufe02" and (
        _is_ideograph(before) or "\u1000" <= before <= "\u109f" or unicodedata.category(before) == "Sm"
    )


def _is_ideograph(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\U00020000" <= char <= "\U0003ffff"


def storable(text: str) -> str:
    """Remove lone surrogates, which no file can contain, and NUL, which SQLite's JSON cannot contain."""
    text = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    return text.replace("\0", "") if "\0" in text else text
