"""Stage 3: split changed mirror pages into chunks, which become records without vectors (spec 9, 10)."""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from searchsocket.content.chunking import CHUNKER_VERSION
from searchsocket.content.chunking.records import cut_chunks
from searchsocket.errors import StateUnavailable
from searchsocket.events import Event
from searchsocket.pipeline.extraction.page_steps import ChunkJob, CutPage, cut_batch, map_pages, mirror_text
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import ChunkNumbers, StageResult, digest_of
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.mirror_files import mirror_roots
from searchsocket.pipeline.stages.page_mirror import page_mirror, problem_lines
from searchsocket.pipeline.stages.secrets import redact_pages, secret_count, secret_lines, secret_table
from searchsocket.state.chunks import chunk_key
from searchsocket.state.scope import ScopeState
from searchsocket.state.source_files import SourceFile, SourceFiles
from searchsocket.system.locators import path_of

_ALL_PAGES = -1  # SQLite: no limit
_BATCH = 100


def note_source_files(run: ScopeRun, state: ScopeState, cut_files: Iterable[str]) -> None:
    """Store the digests of files whose pages were cut, and of known files whose bytes changed.

    A file that changed without a change of its page is noted too, if the page was built after that. Otherwise an edit
    that changes no text would count as a change for ever.

    Args:
        cut_files: The files of the pages that this run cut, relative to the project.
    """
    if run.workspace is not None or run.source_kind.reads_commit or run.source_kind.is_remote:
        return  # a dry run, or no files of this machine
    root, store, scope = str(run.project.root), SourceFiles(run.project.state_dir), run.scope.name
    own, origin = store.all(scope), state.origin.name()
    known = own or (store.all(origin) if origin else {})  # a new scope shares its pages with the origin
    now_ns = time.time_ns()
    changed = {file: found for file in set(cut_files) if (found := SourceFile.read(_path(root, file), now_ns))}
    gone: list[str] = []
    edited: dict[str, tuple[SourceFile, int]] = {}
    for file, before in known.items():
        if file in changed:
            continue
        try:
            info = os.lstat(_path(root, file))
        except OSError:
            gone.append(file)
            continue
        if before.has_stamp(info) or (found := SourceFile.read(_path(root, file), now_ns)) is None:
            continue
        if found.digest == before.digest:
            changed[file] = found
        else:
            edited[file] = (found, info.st_mtime_ns)
    if edited:
        built_ns = _built_ns(run, state)
        changed |= {file: found for file, (found, mtime_ns) in edited.items() if mtime_ns <= built_ns}
    if changed or gone or len(known) > len(own):
        with suppress(StateUnavailable):  # then changes are unknown, and the next run tries again
            store.put(scope, {**({} if own else known), **changed}, gone)


def _path(root: str, file: str) -> str:
    return os.path.join(root, path_of(file))


def _built_ns(run: ScopeRun, state: ScopeState) -> int:
    """Return the time of the newest page of a build; of content files, which this run has read, a time after all."""
    if not run.source_kind.is_build:
        return time.time_ns()
    source = run.make_source()
    times = (source.modified(page.locator) for page in state.pages.biggest(_ALL_PAGES))
    return int(1e9 * max(filter(None, times), default=0.0))


@stage(
    "Cutting chunks",
    ChunkNumbers,
    reads=[page_mirror],
    version=CHUNKER_VERSION,
    kinds={"markdown"},
    columns=(
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "URL path of the page"),
        ("heading_path", "array<string>", "headings above the chunk, outermost first"),
        ("text", "string", "text that search and snippets use"),
        ("content_hash", "string", "SHA-256 of the embedded text"),
    ),
)
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
        changed = state.origin.take_chunks(how)
    pages = state.chunks.count_stale(stale)
    warnings: list[str] = []
    cut_count = done = 0
    truncated = False
    failed: list[str] = []
    files: set[str] = set()  # that make the pages
    for batch in redact_pages(run, _pages(run, state, stale, pages)):
        with state.transaction():
            for cut_page, redacted in batch:
                page, facts = cut_page.page, cut_page.facts
                assert facts
                if redacted.error:  # its old chunks stay, and the next run tries again
                    failed.append(f"{page.url} keeps its old chunks: {redacted.error}")
                    continue
                files.update(filter(None, [facts.source_file or facts.route_file]))
                chunks, tokens = cut_page.chunks, cut_page.tokens
                if redacted.texts != _texts_of(cut_page):
                    cut = [chunk.record.chunk for chunk in chunks]
                    chunks, tokens = cut_chunks(facts, cut, run.scope, embedder.model_id, texts=redacted.texts), None
                if limit is not None and cut_count + len(chunks) > limit:
                    truncated = True
                    break
                if tokens is None:
                    tokens = [embedder.count_tokens(chunk.embedded) for chunk in chunks]
                changed += state.chunks.replace(page.id, chunk_key(page.digest, how), chunks, tokens)
                state.problems.replace(page.id, "chunks", cut_page.warnings)
                state.problems.replace(page.id, "secrets", secret_count(redacted))
                cut_count += len(chunks)
                done += 1
                run.on_event(Event("chunked", {"url": page.url, "chunks": len(chunks)}))
        page_chunks.progress(run, done, pages)
        if truncated:
            warnings.append("--max-chunks ended the run early; the remaining pages keep their old chunks")
            break
    note_source_files(run, state, files)
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


def _pages(
    run: ScopeRun, state: ScopeState, stale: str | None, pages: int
) -> Iterator[list[tuple[CutPage, Sequence[str]]]]:
    """Split the pages into chunks; each page comes with its texts to embed.

    Args:
        pages: The number of stale pages.

    Raises:
        StateUnavailable: A mirror file is damaged; the next run reads it again.
    """
    roots, settings = mirror_roots(run), run.project.settings
    jobs = (
        ChunkJob(
            run.scope,
            run.embedder.model_id,
            settings.chunking,
            [(page, mirror_text(roots, page.url, page.digest)) for page in batch],
        )
        for batch in state.chunks.stale(stale, _BATCH)
    )
    for batch in map_pages(cut_batch, jobs, settings.run, pages):
        for cut in batch:
            if cut.facts is None:
                # Make the next run check the content, not only size and time.
                state.mirror.distrust(cut.page.url)
                raise StateUnavailable(
                    f"the mirror file of {cut.page.url} in {run.mirror_dir} is damaged; run `searchsocket index` to "
                    "write it again"
                )
        yield [(cut, _texts_of(cut)) for cut in batch]


def _texts_of(page: CutPage) -> list[str]:
    """The texts of a page that are embedded."""
    return [chunk.embedded for chunk in page.chunks]
