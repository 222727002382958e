"""Words of a provider, as errors and logs may show them: no part of the key, and nothing that controls a terminal."""

MASK = "[key]"
_MIN_PART_CHARS = 8  # a shorter part of a key says nothing about the rest
_MAX_CHARS = 300


def provider_message(text: str, key: str, max_chars: int = _MAX_CHARS) -> str:
    """A provider's message on one line, with `[key]` for each part of the key.

    Args:
        key: Sent to the provider, which may repeat it, whole or in part; "" = none.
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
