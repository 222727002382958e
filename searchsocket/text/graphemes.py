"""Find places to split text without splitting a visible character."""

import unicodedata

_MAX_CLUSTER = 64  # code points of one grapheme that stay together; hostile text contains longer ones
_REGIONALS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two of them form a flag


def safe_cut(text: str, at: int, start: int = 0) -> int:
    """The last position in (start, at] outside a grapheme; `at` itself if a grapheme is extremely long."""
    if at >= len(text):
        return len(text)
    for border in range(at, max(start, at - _MAX_CLUSTER), -1):
        if _is_border(text, border):
            return border
    return at


def _is_border(text: str, at: int) -> bool:
    """Return True if a grapheme ends before `at`, by the rules of Unicode annex 29 for written text."""
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if after in "\u200c\u200d" or before == "\u200d" or unicodedata.category(after)[0] == "M":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return False  # skin tones, flag tags
    if unicodedata.combining(before) == 9 and after.isalpha():
        return False  # a virama joins two consonants
    if _is_regional(before) and _is_regional(after):
        return _regionals_before(text, at) % 2 == 0
    return not _joins_hangul(before, after)


def _is_regional(char: str) -> bool:
    return char in _REGIONALS


def _regionals_before(text: str, at: int) -> int:
    run = text[max(at - _MAX_CLUSTER, 0) : at]
    return len(run) - len(run.rstrip(_REGIONALS))


def _joins_hangul(before: str, after: str) -> bool:
    leading = "\u1100" <= before <= "\u115f"
    vowel = "\u1160" <= before <= "\u11a7" or "\uac00" <= before <= "\ud7a3"
    if leading:
        return "\u1100" <= after <= "\u11a7" or "\uac00" <= after <= "\ud7a3"
    return (vowel and "\u1160" <= after <= "\u11ff") or (
        "\u11a8" <= before <= "\u11ff" and "\u11a8" <= after <= "\u11ff"
    )
