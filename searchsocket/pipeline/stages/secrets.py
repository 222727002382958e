"""What looks like a secret in the texts of pages: how much and where, and never what (spec 24)."""

from typing import Any

from searchsocket.state import ScopeState
from searchsocket.state.problems import Problem
from searchsocket.text.redaction.redactor import Redactor

_NAMED = 10  # pages
_EVERY = 1_000_000_000


class Secrets:
    """Redacts the texts of one page, and counts."""

    def __init__(self, redactor: Redactor | None) -> None:
        self._redactor = redactor
        self._count = 0

    def redacted(self, text: str) -> str:
        """The text as it is hashed and sent; as it is, where it stays on this machine."""
        if self._redactor is None:
            return text
        found = self._redactor.redact(text)
        self._count += found.count
        return found.text

    @property
    def lines(self) -> list[str]:
        """For the page's problems."""
        return [str(self._count)] if self._count else []


def secret_lines(state: ScopeState) -> list[str]:
    """One line over all pages; none where nothing looks like a secret."""
    pages = _pages(state)
    if not pages:
        return []
    total = sum(int(page.text) for page in pages)
    named = [f"{page.url} ({page.text})" for page in pages[:_NAMED]]
    more = [f"and {len(pages) - _NAMED} more"] if len(pages) > _NAMED else []
    values = "1 value" if total == 1 else f"{total:,} values"
    where = "1 page" if len(pages) == 1 else f"{len(pages):,} pages"
    look = "looks like a secret and was" if total == 1 else "look like secrets and were"
    return [f"{values} on {where} {look} not sent to the provider: {', '.join([*named, *more])}"]


def secret_table(state: ScopeState) -> dict[str, list[dict[str, Any]]]:
    """The pages with most of them."""
    pages = sorted(_pages(state), key=lambda page: (-int(page.text), page.url))[:_NAMED]
    rows = [{"url": page.url, "values": int(page.text)} for page in pages]
    return {"Pages with what looks like a secret": rows} if rows else {}


def _pages(state: ScopeState) -> list[Problem]:
    return state.problems.first("secrets", _EVERY)
