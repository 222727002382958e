"""Give headings the ids that a site's generator gives them, so that results open at their section."""

import re
import unicodedata
from collections.abc import Callable, Mapping

_CATEGORIES = ("L", "M", "N", "Pc")
_SIGNS = re.compile(r"""[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:"'“”‘’<>,.?/]+""")


class Slugger:
    """Heading ids of one page: a second `Usage` is `usage-1`."""

    def __init__(self, style: str = "") -> None:
        """
        Args:
            style: The generator; "" or one without a style of its own means ids as on GitHub.
        """
        self._slug, self._separator = STYLES.get(style, (_as_github, "-"))
        self._uses: dict[str, int] = {}

    def slug(self, text: str) -> str:
        """The anchor of the next heading with this text; "" for a heading without letters or digits."""
        base = self._slug(text)
        slug = base
        while slug in self._uses:
            self._uses[base] += 1
            slug = f"{base}{self._separator}{self._uses[base]}"
        self._uses[slug] = 0
        return slug


def _as_github(text: str) -> str:
    return "".join(char for char in text.lower() if char in " -" or _is_text(char)).replace(" ", "-")


def _as_python_markdown(text: str) -> str:
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_text).strip().lower())


def _as_vue(text: str) -> str:
    base = "".join(char for char in unicodedata.normalize("NFKD", text) if not "\u0300" <= char <= "\u036f")
    slug = _SIGNS.sub("-", base).strip("-").lower()
    return f"_{slug}" if slug[:1].isdecimal() else slug


def _is_text(char: str) -> bool:
    return (char.isascii() and (char.isalnum() or char == "_")) or (
        not char.isascii() and unicodedata.category(char).startswith(_CATEGORIES)
    )


# Generators with ids of their own: how they write one, and what stands before the number of an equal one.
STYLES: Mapping[str, tuple[Callable[[str], str], str]] = {
    "MkDocs": (_as_python_markdown, "_"),
    "Zensical": (_as_python_markdown, "_"),
    "VitePress": (_as_vue, "-"),
    "VuePress": (_as_vue, "-"),
}
