"""Stage 3: mirror pages that changed are cut into chunks, the records-to-be without their vectors (spec 9, 10)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from searchsocket.content.chunking import CHUNKER_VERSION, chunk_page
from searchsocket.content.chunking.records import cut_chunks, embedded_text
from searchsocket.errors import StateUnavailable
from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.numbers import ChunkNumbers
from searchsocket.pipeline.run.results import StageResult, digest_of
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.mirror_files import read_mirror_page
from searchsocket.pipeline.stages.page_mirror import page_mirror, problem_lines
from searchsocket.pipeline.stages.secrets import redact_pages, secret_count, secret_lines, secret_table
from searchsocket.state import ScopeState
from searchsocket.state.chunks import chunk_key
from searchsocket.types import Chunk, PageFacts

_BATCH = 100


@stage("Cutting chunks", ChunkNumbers, reads=[page_mirror], version=CHUNKER_VERSION, kinds={"markdown"})
def page_chunks(run: ScopeRun, state: ScopeState) -> StageResult[ChunkNumbers]:
    """Split the mirror into chunks at headings, and estimate the cost of embedding new chunks.

    Raises:
        StateUnavailable: A mirror file is damaged; the page_mirror stage repairs it.
    """
    settings = run.project.settings
    embedder = run.embedder
    redactor = run.redactor
    parts = [CHUNKER_VERSION, settings.chunking.model_dump_json(), embedder.model_id, run.scope.project_id]
    how = digest_of([*parts, redactor.version] if redactor else parts)
    stale = None if run.options.force else how
    limit = run.options.max_chunks
    changed = 0
    if not run.options.force and limit is None and state.origin.name():
        changed = sum(state.origin.take_chunks(how, _BATCH))
    pages = state.chunks.count_stale(stale)
    warnings: list[str] = []
    cut = done = 0
    truncated = False
    failed: list[str] = []
    with _marking_damage(run, state):
        for batch in redact_pages(run, _pages(run, state, stale)):
            with state.transaction():
                for page, redacted in batch:
                    if redacted.error:  # its old chunks stay, and the next run tries again
                        failed.append(f"{page.url} keeps its old chunks: {redacted.error}")
                        continue
                    chunks = cut_chunks(page.facts, page.chunks, run.scope, embedder.model_id, texts=redacted.texts)
                    if limit is not None and cut + len(chunks) > limit:
                        truncated = True
                        break
                    tokens = [embedder.count_tokens(chunk.embedded) for chunk in chunks]
                    changed += state.chunks.replace(page.id, chunk_key(page.digest, how), chunks, tokens)
                    state.problems.replace(page.id, "chunks", page.warnings)
                    state.problems.replace(page.id, "secrets", secret_count(redacted))
                    cut += len(chunks)
                    done += 1
                    run.on_event(Event("chunked", {"url": page.url, "chunks": len(chunks)}))
            page_chunks.progress(run, done, pages)
            if truncated:
                warnings.append("--max-chunks ended the run early; the remaining pages keep their old chunks")
                break
    total, _ = state.chunks.count()
    return StageResult(
        total=total,
        numbers=ChunkNumbers(
            total=total, changed=changed, pages_cut=done, pages_kept=state.chunks.count_mirrored() - done
        ),
        version=digest_of(state.chunks.records_digests()),
        warnings=(*failed, *problem_lines(state, "chunks"), *secret_lines(state), *warnings),
        tables={"Pages with most chunks": [page._asdict() for page in state.chunks.biggest(10)]} | secret_table(state),
    )


class _Damaged(Exception):
    """The mirror file of a page is not what was written, although size and time say so."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


@contextmanager
def _marking_damage(run: ScopeRun, state: ScopeState) -> Iterator[None]:
    """Have the next run look at a damaged mirror file more closely than at its size and time."""
    try:
        yield
    except _Damaged as error:
        state.mirror.distrust(error.url)
        raise StateUnavailable(
            f"the mirror file of {error.url} in {run.mirror_dir} is damaged; run `searchsocket index` to write it again"
        ) from error


@dataclass(frozen=True, slots=True)
class _Page:
    """A page whose chunks are not stored yet."""

    id: int
    url: str
    digest: str  # of its mirror file
    facts: PageFacts
    chunks: Sequence[Chunk]
    warnings: tuple[str, ...]


def _pages(run: ScopeRun, state: ScopeState, stale: str | None) -> Iterator[list[tuple[_Page, list[str]]]]:
    """Cut the pages into chunks, each page with the texts that are embedded."""
    for batch in state.chunks.stale(stale, _BATCH):
        pages = [_page(run, *page) for page in batch]
        yield [(page, [embedded_text(page.facts.title, chunk) for chunk in page.chunks]) for page in pages]


def _page(run: ScopeRun, page_id: int, url: str, digest: str) -> _Page:
    page = read_mirror_page(run, url, digest)
    if page is None:
        raise _Damaged(url)
    if page.facts.weight == 0:  # the author took the page out of search
        return _Page(page_id, url, digest, page.facts, (), ())
    chunked = chunk_page(page, run.project.settings.chunking)
    return _Page(page_id, url, digest, page.facts, chunked.chunks, chunked.warnings)
