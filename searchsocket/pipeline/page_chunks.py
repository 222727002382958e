"""Stage 3: mirror pages that changed are cut into chunks, the records-to-be without their vectors (spec 9, 10)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from sqlite3 import Connection
from typing import Any

from searchsocket.batches import batches
from searchsocket.chunking import CHUNKER_VERSION, chunk_page
from searchsocket.embedders import make_embedder
from searchsocket.errors import StateUnavailable
from searchsocket.events import Event
from searchsocket.identity import records_of
from searchsocket.pipeline.context import ScopeRun
from searchsocket.pipeline.digests import digest_of
from searchsocket.pipeline.history import last_result
from searchsocket.pipeline.mirror_files import read_mirror_page
from searchsocket.pipeline.results import StageResult
from searchsocket.pipeline.stage import stage
from searchsocket.state.chunks import write_record
from searchsocket.state.database import transaction
from searchsocket.state.pages import digest_rows
from searchsocket.types import Record

_BATCH = 100
_INDEXED = "scope = ? AND removed = 0 AND skip = '' AND mirror_digest != ''"


@stage
def page_chunks(run: ScopeRun, db: Connection) -> StageResult:
    """Cut what changed; keep the rest.

    Raises:
        StateUnavailable: A mirror file is damaged; the page_mirror stage repairs it.
    """
    scope, settings = run.scope.name, run.project.settings
    model_id = make_embedder(settings.embeddings).model_id
    key = digest_of([CHUNKER_VERSION, settings.chunking.model_dump_json(), model_id, run.scope.id])
    condition = "" if run.options.force else "AND chunk_key != mirror_digest || ':' || ?"
    todo = db.execute(
        f"SELECT id, url, mirror_digest FROM pages WHERE {_INDEXED} {condition} ORDER BY url",
        (scope,) if run.options.force else (scope, key),
    ).fetchall()
    warnings: list[str] = []
    cut = changed = done = 0
    limit = run.options.max_chunks
    truncated = False
    for batch in batches(todo, _BATCH):
        with _marking_damage(run, db), transaction(db):
            for page_id, url, digest in batch:
                records, told = _records(run, url, digest, model_id)
                if limit is not None and cut + len(records) > limit:
                    truncated = True
                    break
                warnings += [f"{url}: {warning}" for warning in told]
                changed += _replace(db, scope, page_id, records)
                db.execute("UPDATE pages SET chunk_key = ? WHERE id = ?", (f"{digest}:{key}", page_id))
                cut += len(records)
                done += 1
                run.on_event(Event("chunked", {"url": url, "chunks": len(records)}))
        run.on_event(Event("progress", {"stage": "page_chunks", "done": done, "total": len(todo)}))
        if truncated:
            warnings.append("--max-chunks cut the run short, so the pages after it keep what they had")
            break
    indexed = db.execute(f"SELECT COUNT(*) FROM pages WHERE {_INDEXED}", (scope,)).fetchone()[0]
    total = db.execute("SELECT COUNT(*) FROM chunks WHERE scope = ?", (scope,)).fetchone()[0]
    return StageResult(
        stage="page_chunks",
        total=total,
        numbers={"total": total, "changed": changed, "pages_cut": done, "pages_kept": indexed - done},
        version=digest_of(digest_rows(db, "SELECT id, record_hash FROM chunks WHERE scope = ? ORDER BY id", (scope,))),
        seconds=0.0,
        warnings=tuple(warnings[:50]),
        tables=_tables(db, scope, total, changed=done > 0),
    )


class _Damaged(Exception):
    """The mirror file of a page is not what was written, although size and time say so."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


@contextmanager
def _marking_damage(run: ScopeRun, db: Connection) -> Iterator[None]:
    """Have the next run look at a damaged mirror file more closely than at its size and time."""
    try:
        yield
    except _Damaged as error:
        db.execute("UPDATE pages SET mirror_stamp = '' WHERE scope = ? AND url = ?", (run.scope.name, error.url))
        raise StateUnavailable(
            f"the mirror file of {error.url} in {run.mirror_dir} is damaged; run `searchsocket index` to write it again"
        ) from error


def _records(run: ScopeRun, url: str, digest: str, model_id: str) -> tuple[list[Record], tuple[str, ...]]:
    page = read_mirror_page(run, url, digest)
    if page is None:
        raise _Damaged(url)
    if page.weight == 0:  # the author took the page out of search
        return [], ()
    chunked = chunk_page(page, run.project.settings.chunking)
    return records_of(page, chunked.chunks, run.scope, model_id), chunked.warnings


def _replace(db: Connection, scope: str, page_id: int, records: list[Record]) -> int:
    """Store a page's records and return how many texts are new on the page."""
    before = {row[0] for row in db.execute("SELECT content_hash FROM chunks WHERE page_id = ?", (page_id,))}
    db.execute("DELETE FROM chunks WHERE page_id = ?", (page_id,))
    db.executemany(
        "INSERT INTO chunks (scope, id, page_id, ordinal, content_hash, record_hash, record) VALUES (?,?,?,?,?,?,?)",
        [
            (
                scope,
                record.id,
                page_id,
                record.ordinal,
                record.content_hash,
                record.record_hash,
                write_record(record),
            )
            for record in records
        ],
    )
    return sum(record.content_hash not in before for record in records)


def _tables(db: Connection, scope: str, total: int, *, changed: bool) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The biggest pages; of the last run where no page was cut and none went, since counting them all takes time."""
    last = None if changed else last_result(db, scope, "page_chunks")
    if last is not None and last.total == total:
        return last.tables
    return {"Pages with most chunks": _biggest(db, scope)}


def _biggest(db: Connection, scope: str) -> list[dict[str, object]]:
    rows = db.execute(
        "SELECT pages.url, COUNT(*) AS n FROM chunks JOIN pages ON pages.id = chunks.page_id "
        "WHERE chunks.scope = ? GROUP BY page_id ORDER BY n DESC, pages.url LIMIT 10",
        (scope,),
    )
    return [{"url": row[0], "chunks": row[1]} for row in rows]
