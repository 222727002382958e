"""Titles as they are shown: some headings are whole paragraphs."""

from searchsocket.text.graphemes import safe_cut

_MAX_CHARS = 120


def displayed(title: str) -> str:
    """A title of at most 120 characters, cut between words where it can be, with `…` where it is cut."""
    if len(title) <= _MAX_CHARS:
        return title
    space = title.rfind(" ", _MAX_CHARS // 2, _MAX_CHARS)
    end = space if space > 0 else safe_cut(title, _MAX_CHARS - 1)
    return title[:end].rstrip(" ,;:–—-") + "…"
