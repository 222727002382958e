"""Languages of a scope's pages: as stated by pages, and as settled for the site (stage `page_mirror`)."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from searchsocket.state.file import transaction
from searchsocket.state.sql import IN_SCOPE
from searchsocket.web.languages.alternates import Alternates
from searchsocket.web.languages.site import LanguagePage, PageLanguage


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """The languages of a scope's pages."""

    db: sqlite3.Connection
    scope: str

    def is_settled(self) -> bool:
        """Return True if no page changed since the last run."""
        changed = self.db.execute(
            "SELECT 1 FROM pages WHERE scope = ? AND (dirty = 1 OR removed = 1) LIMIT 1", (self.scope,)
        ).fetchone()
        return changed is None

    def pages(self) -> list[LanguagePage]:
        """Return every searchable page, by rising URL."""
        rows = self.db.execute(
            "SELECT url, contents.language, hreflang, hreflang_group, is_default FROM pages "
            f"JOIN contents ON contents.id = content_id WHERE {IN_SCOPE} AND skip = '' AND copy_of = '' ORDER BY url",
            (self.scope,),
        )
        return [
            LanguagePage(url, stated, Alternates(language, group, bool(is_default)))
            for url, stated, language, group, is_default in rows
        ]

    def settle(self, languages: Mapping[str, PageLanguage]) -> None:
        """Store the language and the original of each page; pages for which one changed become dirty."""
        rows = self.db.execute(
            f"SELECT id, url, language, original FROM pages WHERE {IN_SCOPE} AND (language != '' OR original != '' "
            "OR (skip = '' AND copy_of = ''))",
            (self.scope,),
        )
        changed = [
            (*now, page_id)
            for page_id, url, *before in rows
            if (now := languages.get(url, PageLanguage(""))) != tuple(before)
        ]
        with transaction(self.db):
            self.db.executemany("UPDATE pages SET language = ?, original = ?, dirty = 1 WHERE id = ?", changed)
