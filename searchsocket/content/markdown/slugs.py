"""Heading anchors as GitHub's slugger makes them, which rehype-slug and mdsvex sites use."""

import unicodedata

_KEPT = ("L", "M", "N", "Pc")


class Slugger:
    """Slugs of one page: a second `Usage` is `usage-1`."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def slug(self, text: str) -> str:
        """The anchor of the next heading with this text; "" for a heading without letters or digits."""
        base = "".join(char for char in text.lower() if char in " -" or _is_kept(char)).replace(" ", "-")
        slug = base
        while slug in self._seen:
            self._seen[base] += 1
            slug = f"{base}-{self._seen[base]}"
        self._seen[slug] = 0
        return slug


def _is_kept(char: str) -> bool:
    return (char.isascii() and (char.isalnum() or char == "_")) or (
        not char.isascii() and unicodedata.category(char).startswith(_KEPT)
    )
