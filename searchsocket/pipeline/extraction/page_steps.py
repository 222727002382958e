"""Steps after the mirror, in worker processes or on a cluster: texts in; chunks, rows or key phrases out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from searchsocket.content.chunking import chunk_page
from searchsocket.content.chunking.records import CutChunk, cut_chunks, embedded_text
from searchsocket.content.mirror import mirror_file, parse_page, text_digest
from searchsocket.content.pages import Page
from searchsocket.errors import SearchSocketError
from searchsocket.models.embedders.base import is_uncached
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.pipeline.extraction.cluster import cluster_of
from searchsocket.project.settings.model import RunSettings
from searchsocket.project.settings.site import ChunkSettings
from searchsocket.state.chunks import MirroredPage
from searchsocket.state.records import StoredChunk, records_of
from searchsocket.stores.base.index_reader import PageBody
from searchsocket.stores.base.vector_store import RecordRows
from searchsocket.stores.local.catalogue.records import rows_of
from searchsocket.system.processes import default_workers, map_batches
from searchsocket.text.key_phrases import phrases_of_page
from searchsocket.types import PageFacts, Scope, Vectors

SERIAL_BELOW_PAGES = 1_000  # starting processes costs more than they save below this
T = TypeVar("T")
R = TypeVar("R")


def map_pages(step: Callable[[T], R], jobs: Iterable[T], settings: RunSettings, pages: int) -> Iterator[R]:
    """Apply a step to batches of pages, in order: here if they are few, else in processes or on a cluster.

    Args:
        step: A pure module-level function.
        jobs: Batches, picklable. They contain all that the step reads: workers of a cluster have no file of the site.
        pages: The number of pages; counting may stop at `SERIAL_BELOW_PAGES`.

    Raises:
        ClusterUnavailable: The cluster of `run.dask_address` does not answer, or runs another version.
    """
    if pages >= SERIAL_BELOW_PAGES and (cluster := cluster_of(settings)):
        with cluster.connect() as executor:
            workers = executor.workers
            yield from map_batches(step, jobs, workers=workers, lost=step, make_executor=lambda _: executor)
    else:
        workers = (settings.workers or default_workers()) if pages >= SERIAL_BELOW_PAGES else 0
        yield from map_batches(step, jobs, workers=workers, lost=step)


def mirror_text(roots: Sequence[Path], url: str, digest: str) -> str | None:
    """The text of a page's mirror file, or None if the file is missing, damaged or changed.

    Args:
        roots: Folders of the mirror; the first one that has the file counts.
        digest: The expected digest of the text.
    """
    for root in roots:
        try:
            text = mirror_file(root, url).read_bytes().decode("utf-8")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError):
            return None
        return text if text_digest(text) == digest else None
    return None


def page_of(text: str | None, scope: str) -> Page | None:
    """The page of a mirror text, or None if the text is damaged, missing or another scope's."""
    try:
        page = parse_page(text) if text is not None else None
    except SearchSocketError:
        return None
    return page if page and page.scope in ("", scope) else None


@dataclass(frozen=True, slots=True)
class ChunkJob:
    """A batch of pages to cut."""

    scope: Scope
    model_id: str
    settings: ChunkSettings
    pages: Sequence[tuple[MirroredPage, str | None]]  # with their mirror texts; None = damaged


@dataclass(frozen=True, slots=True)
class CutPage:
    """A page with its chunks; `facts` is None if its file is damaged."""

    page: MirroredPage
    facts: PageFacts | None
    chunks: Sequence[CutChunk] = ()
    tokens: Sequence[int] | None = ()  # of each chunk; None = the model is not the built-in one
    warnings: tuple[str, ...] = ()


def cut_batch(job: ChunkJob) -> list[CutPage]:
    """Cut the pages of a batch."""
    return [_cut(job, target, text) for target, text in job.pages]


def _cut(job: ChunkJob, target: MirroredPage, text: str | None) -> CutPage:
    page = page_of(text, job.scope.name)
    if page is None:
        return CutPage(target, None)
    if page.facts.weight == 0:  # the author took the page out of search
        return CutPage(target, page.facts)
    chunked = chunk_page(page, job.settings)
    chunks = cut_chunks(page.facts, chunked.chunks, job.scope, job.model_id)
    count = BuiltinEmbedder().count_tokens if is_uncached(job.model_id) else None
    tokens = [count(chunk.embedded) for chunk in chunks] if count else None
    return CutPage(target, page.facts, chunks, tokens, chunked.warnings)


@dataclass(frozen=True, slots=True)
class RowJob:
    """A batch of chunks to publish."""

    scope: Scope
    chunks: Sequence[StoredChunk]
    embeds: bool  # with the built-in model, whose vectors no cache stores


def embedded_rows(job: RowJob) -> tuple[RecordRows, Vectors | None]:
    """The rows of some chunks, and their vectors if they are computed here.

    Raises:
        DamagedRow: A chunk is damaged.
    """
    records = list(records_of(job.chunks, job.scope.name))
    rows = rows_of(records, job.scope, job.scope.project_id)
    if not job.embeds:
        return rows, None
    texts = [embedded_text(record.page.title, record.chunk) for record in records]
    return rows, BuiltinEmbedder().embed(texts, "passage")


def add_phrases(bodies: Sequence[PageBody]) -> list[PageBody]:
    """The texts of pages with their key phrases."""
    pages = [parse_page(body.text) for body in bodies]
    return [
        replace(body, key_phrases=phrases_of_page(page.facts.title, page.body))
        for body, page in zip(bodies, pages, strict=True)
    ]
