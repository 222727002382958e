"""Page texts of a generation under construction, in packed form."""

import sqlite3
from collections.abc import Iterable

from searchsocket.stores.local.catalogue.bodies import Sayings
from searchsocket.stores.local.catalogue.records import PAGE_TEXTS, path_key
from searchsocket.stores.local.reader import LocalReader


def sayings(merge: sqlite3.Connection, live: LocalReader | None, touched: Iterable[bytes]) -> Sayings:
    """Args: touched: The sort keys of the pages whose records change."""
    keys = set(touched)

    def said(url: str) -> str:
        return "\n".join(text for (text,) in merge.execute(PAGE_TEXTS, (path_key(url),)))

    def before(url: str) -> str | None:
        return None if live is None else live.catalogue.page_body(url)

    return Sayings(said, lambda url: path_key(url) in keys, before)
