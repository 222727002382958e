"""A pulled database file contains our tables and indexes, and nothing that runs."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from search_site import DOCS, Site

from searchsocket.errors import ArtifactInvalid
from searchsocket.extensions.fleet.soundness import refuse_unsound
from searchsocket.stores.local.layout import BODIES, PACKS
from searchsocket.stores.local.store import LocalStore

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"


@pytest.fixture
def generation(tmp_path: Path) -> Path:
    """The folder of a generation that was just published."""
    Site(LocalStore(tmp_path / "index", "site")).publish(DOCS)
    (manifest,) = (tmp_path / "index").rglob("manifest.json")
    refuse_unsound(manifest.parent, "it")
    return manifest.parent


@pytest.mark.parametrize(
    ("file", "sql"),
    [
        (PACKS, f"CREATE VIEW more AS {ENDLESS}"),
        (PACKS, f"DROP TABLE dictionary; CREATE VIEW dictionary AS {ENDLESS}"),
        (PACKS, "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END"),
        (PACKS, "CREATE TABLE more (x)"),
        (PACKS, "CREATE INDEX more ON records (abs(doc))"),
        (PACKS, "CREATE VIRTUAL TABLE more USING fts5(x)"),
        (BODIES, f"CREATE VIEW more AS {ENDLESS}"),
        (BODIES, f"ALTER TABLE bodies RENAME TO old; CREATE VIEW bodies AS {ENDLESS}"),
    ],
)
def test_a_file_of_another_schema_is_refused(generation: Path, file: str, sql: str) -> None:
    with closing(sqlite3.connect(next(generation.glob(f"{file}/*.db"), generation / file))) as connection:
        connection.executescript(sql)
    with pytest.raises(ArtifactInvalid, match="unknown tables, views or triggers"):
        refuse_unsound(generation, "it")
