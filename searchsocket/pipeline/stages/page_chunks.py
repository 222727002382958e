"""Stage 3: mirror pages that changed are cut into chunks, the records-to-be without their vectors (spec 9, 10)."""

from collections.abc import Iterator
from contextlib import contextmanager

from searchsocket.content.chunking import CHUNKER_VERSION, chunk_page
from searchsocket.content.chunking.records import CutChunk, cut_chunks
from searchsocket.errors import StateUnavailable
from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.digests import digest_of
from searchsocket.pipeline.run.numbers import ChunkNumbers
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.lasting_problems import problem_lines
from searchsocket.pipeline.stages.mirror_files import read_mirror_page
from searchsocket.pipeline.stages.page_mirror import page_mirror
from searchsocket.pipeline.stages.secrets import Secrets, secret_lines, secret_table
from searchsocket.state import ScopeState
from searchsocket.state.chunks import chunk_key

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
    for batch in state.chunks.stale(stale, _BATCH):
        with _marking_damage(run, state), state.transaction():
            for page_id, url, digest in batch:
                secrets = Secrets(redactor)
                chunks, page_warnings = _chunks(run, url, digest, embedder.model_id, secrets)
                if limit is not None and cut + len(chunks) > limit:
                    truncated = True
                    break
                tokens = [embedder.count_tokens(chunk.embedded) for chunk in chunks]
                changed += state.chunks.replace(page_id, chunk_key(digest, how), chunks, tokens)
                state.problems.replace(page_id, "chunks", page_warnings)
                state.problems.replace(page_id, "secrets", secrets.lines)
                cut += len(chunks)
                done += 1
                run.on_event(Event("chunked", {"url": url, "chunks": len(chunks)}))
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
        warnings=(*problem_lines(state, "chunks"), *secret_lines(state), *warnings),
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


def _chunks(
    run: ScopeRun, url: str, digest: str, model_id: str, secrets: Secrets
) -> tuple[list[CutChunk], tuple[str, ...]]:
    page = read_mirror_page(run, url, digest)
    if page is None:
        raise _Damaged(url)
    if page.facts.weight == 0:  # the author took the page out of search
        return [], ()
    chunked = chunk_page(page, run.project.settings.chunking)
    cut = cut_chunks(page.facts, chunked.chunks, run.scope, model_id, prepare=secrets.redacted)
    return cut, chunked.warnings
