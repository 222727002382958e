"""Stage 3: mirror pages that changed are cut into chunks, the records-to-be without their vectors (spec 9, 10)."""

from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection

from searchsocket.chunking import CHUNKER_VERSION, chunk_page
from searchsocket.chunking.records import CutChunk, cut_chunks
from searchsocket.errors import StateUnavailable
from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.digests import digest_of
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.mirror_files import read_mirror_page
from searchsocket.state.chunks import count_chunks, page_digests, replace_chunks
from searchsocket.state.database import transaction

_BATCH = 100
_TOLD = 50  # warnings that are kept
_INDEXED = "scope = ? AND removed = 0 AND skip = '' AND mirror_digest != ''"


@stage
def page_chunks(run: ScopeRun, db: Connection) -> StageResult:
    """Cut what changed; keep the rest.

    Raises:
        StateUnavailable: A mirror file is damaged; the page_mirror stage repairs it.
    """
    scope, settings = run.scope.name, run.project.settings
    embedder = run.backends.embedder
    key = digest_of([CHUNKER_VERSION, settings.chunking.model_dump_json(), embedder.model_id, run.scope.id])
    todo = _Todo(db, scope, None if run.options.force else key)
    pages = todo.count()
    warnings: list[str] = []
    cut = changed = done = 0
    limit = run.options.max_chunks
    truncated = False
    for batch in todo.batches():
        with _marking_damage(run, db), transaction(db):
            for page_id, url, digest in batch:
                chunks, told = _chunks(run, url, digest, embedder.model_id)
                if limit is not None and cut + len(chunks) > limit:
                    truncated = True
                    break
                warnings = [*warnings, *(f"{url}: {warning}" for warning in told)][:_TOLD]
                tokens = [embedder.count_tokens(chunk.embedded) for chunk in chunks]
                changed += replace_chunks(db, scope, page_id, chunks, tokens)
                db.execute("UPDATE pages SET chunk_key = ? WHERE id = ?", (f"{digest}:{key}", page_id))
                cut += len(chunks)
                done += 1
                run.on_event(Event("chunked", {"url": url, "chunks": len(chunks)}))
        run.on_event(Event("progress", {"stage": "page_chunks", "done": done, "total": pages}))
        if truncated:
            warnings.append("--max-chunks cut the run short, so the pages after it keep what they had")
            break
    indexed = db.execute(f"SELECT COUNT(*) FROM pages WHERE {_INDEXED}", (scope,)).fetchone()[0]
    total, _ = count_chunks(db, scope)
    return StageResult(
        stage="page_chunks",
        total=total,
        numbers={"total": total, "changed": changed, "pages_cut": done, "pages_kept": indexed - done},
        version=digest_of(page_digests(db, scope, "records_digest")),
        seconds=0.0,
        warnings=tuple(warnings),
        tables={"Pages with most chunks": _biggest(db, scope)},
    )


class _Todo:
    """The pages to cut, read a batch at a time by rising URL while earlier ones are written."""

    def __init__(self, db: Connection, scope: str, key: str | None) -> None:
        self._db = db
        changed = "" if key is None else " AND chunk_key != mirror_digest || ':' || ?"
        self._where = f"FROM pages WHERE {_INDEXED}{changed}"
        self._values = (scope,) if key is None else (scope, key)

    def count(self) -> int:
        return int(self._db.execute(f"SELECT COUNT(*) {self._where}", self._values).fetchone()[0])

    def batches(self) -> Iterator[list[tuple[int, str, str]]]:
        """(page id, URL, mirror digest) of each."""
        last = ""
        while batch := self._db.execute(
            f"SELECT id, url, mirror_digest {self._where} AND url > ? ORDER BY url LIMIT ?",
            (*self._values, last, _BATCH),
        ).fetchall():
            yield batch
            last = batch[-1][1]


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


def _chunks(run: ScopeRun, url: str, digest: str, model_id: str) -> tuple[list[CutChunk], tuple[str, ...]]:
    page = read_mirror_page(run, url, digest)
    if page is None:
        raise _Damaged(url)
    if page.weight == 0:  # the author took the page out of search
        return [], ()
    chunked = chunk_page(page, run.project.settings.chunking)
    return cut_chunks(page, chunked.chunks, run.scope, model_id), chunked.warnings


def _biggest(db: Connection, scope: str) -> list[dict[str, object]]:
    rows = db.execute(
        "SELECT url, chunks FROM chunked JOIN pages ON pages.id = page_id WHERE chunked.scope = ? "
        "ORDER BY chunks DESC, url LIMIT 10",
        (scope,),
    )
    return [{"url": row[0], "chunks": row[1]} for row in rows]
