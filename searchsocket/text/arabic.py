"""Stem Arabic words as Larkey's light10 does: remove articles, conjunctions and frequent endings."""

_PREFIXES = ("وال", "بال", "كال", "فال", "لل", "ال", "و")
_SUFFIXES = ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")
_MIN_CHARS = 3  # of what is left


def arabic_stem(word: str) -> str:
    """The light stem of a folded word: `المكونات` and `مكون` have the same.

    Args:
        word: In the letters that `fold` leaves, so `ه` also stands for `ة`.
    """
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= _MIN_CHARS:
            word = word.removeprefix(prefix)
            break
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_CHARS:
            word = word.removesuffix(suffix)
    return word
