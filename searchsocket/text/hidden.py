"""Find invisible characters (Unicode: default-ignorable), except those that a script or emoji needs.

Any bytes can be encoded in them, so a page could contain a hidden message for a language model.
"""

import re
import unicodedata

_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SELECTED_SIGNS = (
    "0123456789#*\u2139\u24c2"  # other characters that can be text or emoji, besides symbols and punctuation
)
_LAST_IDEOGRAPH_SELECTOR = "\U000e0113"  # of the registered collections of variants


def hidden_positions(text: str) -> list[int]:
    """Positions of invisible characters that the surrounding text does not need."""
    if text.isascii():
        return []
    hidden: list[int] = []
    last_visible = -1
    for match in _IGNORABLE.finditer(text):
        at = match.start()
        if _is_needed(text, at, is_behind_another=last_visible == at - 1 and at > 0):
            last_visible = at
        else:
            hidden.append(at)
    return hidden


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
    if char in "\u200e\u200f\u061c":
        return any(
            unicodedata.bidirectional(neighbour) in ("R", "AL", "AN") for neighbour in text[max(at - 100, 0) : at + 100]
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
