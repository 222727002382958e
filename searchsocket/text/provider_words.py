"""Make messages of a provider safe to show: no part of the key, no terminal control characters."""

MASK = "[key]"
_MIN_PART_CHARS = 8  # a shorter part does not reveal the key
_MAX_CHARS = 300


def provider_message(text: str, key: str, max_chars: int = _MAX_CHARS) -> str:
    """A provider's message on one line, with `[key]` for each part of the key.

    Args:
        key: The key, which the provider may repeat in whole or in part; "" = none.
    """
    text = _without_key(text[: max_chars + 8 * len(key) + _MAX_CHARS], key)
    text = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(text.split())[:max_chars]


def _without_key(text: str, key: str) -> str:
    size = min(_MIN_PART_CHARS, len(key))
    if not size:
        return text
    parts = {key[start : start + size] for start in range(len(key) - size + 1)}
    words, at = "", 0
    while at < len(text):
        if text[at : at + size] not in parts:
            words += text[at]
            at += 1
            continue
        end = at + size
        while text[end - size + 1 : end + 1] in parts and end < len(text):
            end += 1
        words += MASK
        at = end
    return words
