"""Text that every file format and engine takes."""


def storable(text: str) -> str:
    """Text without lone surrogates, which no file can hold, and without NUL, which SQLite's JSON cannot."""
    text = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    return text.replace("\0", "") if "\0" in text else text
