"""Stem Arabic words as Larkey's light10 does: remove articles, conjunctions and frequent endings."""

_PREFIXES = ("وال", "بال", "كال", "فال", "لل", "ال", "و")
_SUFFIXES = ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")
_MIN_CHARS = 3  # of the remaining stem


def arabic_stem(word: str) -> str:
    """The light stem of a folded word, the same for `المكونات` and `مكون`.

    Args:
        word: A word after `fold`, which replaces `ة` by `ه`.
    """
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= _MIN_CHARS:
            word = word.removeprefix(prefix)
            break
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_CHARS:
            word = word.removesuffix(suffix)
    return word
