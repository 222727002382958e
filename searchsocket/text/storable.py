"""Clean text for every file format and engine."""


def storable(text: str) -> str:
    """Remove lone surrogates, which no file can contain, and NUL, which SQLite's JSON cannot contain."""
    text = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    return text.replace("\0", "") if "\0" in text else text
