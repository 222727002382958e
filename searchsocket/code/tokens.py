"""How long code is, in tokens, whatever model will read it."""

import re

# About the pieces that subword vocabularies have for code: parts of identifiers, short runs of digits, each sign.
_TOKEN = re.compile(r"[A-Z]?[a-z]{1,8}|[A-Z]{1,4}|[0-9]{1,3}|[^\W_A-Za-z0-9]|[^\w\s]")


def count_tokens(text: str) -> int:
    """An estimate that is the same for the same text everywhere."""
    return len(_TOKEN.findall(text))
