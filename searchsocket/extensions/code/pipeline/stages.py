"""The stages of source code: list changed files, split them into chunks, embed these, and publish the differences."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from searchsocket.content.chunking.records import cut_chunks, embedded_text
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.events import Event
from searchsocket.extensions.code.corpus import CODE
from searchsocket.extensions.code.parsing.chunks import CODE_CHUNKER_VERSION
from searchsocket.extensions.code.parsing.definitions.grammars import installed
from searchsocket.extensions.code.parsing.file_kinds import is_test
from searchsocket.extensions.code.parsing.reading import source_text
from searchsocket.extensions.code.parsing.symbols import kind_label, labels_of
from searchsocket.extensions.code.pipeline.job import CodeJob, CutFile, cut_batch, one_file_each, without_grammar
from searchsocket.extensions.code.pipeline.staleness import CONFIGURATION, RULES, configuration_digest, cutting_rules
from searchsocket.models.embedders.base import Embedder
from searchsocket.pipeline.extraction.redaction_job import RedactedPage
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import (
    CodeNumbers,
    EmbeddingNumbers,
    IndexNumbers,
    PageNumbers,
    StageResult,
    digest_of,
    sha256,
)
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.chunk_embeddings import chunk_embeddings, count_embeddings, embed_chunks
from searchsocket.pipeline.stages.page_mirror import problem_lines
from searchsocket.pipeline.stages.search_index import count_changes, publish_changes
from searchsocket.pipeline.stages.secrets import redact_pages, secret_count, secret_lines, secret_table
from searchsocket.pipeline.stages.site_pages import list_pages
from searchsocket.state.chunks import chunk_key
from searchsocket.state.extracts import StoredPage, extract_key
from searchsocket.state.scope import ScopeState
from searchsocket.stores.base.index_reader import PageBody
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.system.batches import batches
from searchsocket.system.processes import default_workers, map_batches
from searchsocket.text.key_phrases import phrases_of_code
from searchsocket.text.skipped import MAX_SKIPPED, Skipped
from searchsocket.types import Chunk, Lines, PageFacts

_BATCH = 32
_SERIAL_BELOW_BYTES = 1_000_000  # starting processes costs more than they save below this
_SERIAL_FILE_BYTES = 200_000  # a larger file may take long to parse, so a process that can be ended parses it
# Limits for a file that may be damaged; a sound one of `_SERIAL_FILE_BYTES` needs a tenth of them.
_MAX_COSTLY_S, _MAX_COSTLY_MB = 4.0, 500
_NO_GRAMMARS = (
    "source files are split at blank lines and their definitions are unknown; install the grammars with `pip "
    "install 'searchsocket[code]'`"
)


@stage(
    "Reading the source files",
    PageNumbers,
    kinds={"git"},
    columns=(
        ("url", "string", "path from the project folder; one row per file"),
        ("locator", "string", "path from the project folder"),
        ("raw_hash", "string", "SHA-256 of the bytes"),
        ("bytes", "int", "size of the file in bytes"),
    ),
    corpus=CODE,
)
def code_files(run: ScopeRun, state: ScopeState) -> StageResult[PageNumbers]:
    """List the source files of the project and detect which of them changed.

    Follows git and the ignore files. Never reads secrets, dependencies, build output or binaries.

    Raises:
        SourceUnavailable: Nothing can be listed, or an ignore file cannot be read.
        LargeDeletion: More than half of the known files are gone; nothing was marked.
        EmbeddingModelMismatch: The scope is indexed with another model and the run is not forced.
    """
    return list_pages(run, state, code_files)


@stage(
    "Cutting source files",
    CodeNumbers,
    reads=[code_files],
    version=CODE_CHUNKER_VERSION,
    kinds={"treesitter"},
    columns=(
        ("id", "string", "stable key of the chunk: path, symbol, number"),
        ("url", "string", "path of the file from the project folder"),
        ("symbol", "string", "qualified name of the definition"),
        ("lines", "string", "first and last line"),
        ("text", "string", "text that search and snippets use"),
        ("content_hash", "string", "SHA-256 of the embedded text"),
    ),
    corpus=CODE,
)
def code_chunks(run: ScopeRun, state: ScopeState) -> StageResult[CodeNumbers]:
    """Split source files into chunks at their definitions, with name, kind, signature, comment and lines."""
    grammars = "grammars" if installed() else "blank lines"
    embedder = run.embedder  # read once, since it may depend on the live index
    redaction = run.project.settings.redaction  # of code whose name looks secret, wherever its texts go
    parts = [CODE_CHUNKER_VERSION, grammars, embedder.model_id, run.scope.id, *redaction.names, *redaction.keep]
    redactor = run.redactor
    how = digest_of([*parts, redactor.version] if redactor else parts)
    removed = _forget_removed(state)
    stale = state.extracts.stale(how, everything=run.options.force)
    done = changed = 0
    failed: list[str] = []
    for cut in redact_pages(run, _texts(_cut_files(run, state, stale))):
        with state.transaction():
            for file, redacted in cut:
                if file.error:
                    failed.append(f"{file.file.raw.locator} could not be read: {file.error}")
                    continue
                if redacted.error:  # its old chunks stay, and the next run tries again
                    failed.append(f"{file.file.raw.locator} keeps its old chunks: {redacted.error}")
                    continue
                changed += _store(run, state, file, how, embedder, redacted)
        done += len(cut)
        code_chunks.progress(run, done, len(stale))
    leaving = state.mirror.leaving()
    state.mirror.drop(leaving)
    counts = {entry.skip: entry.pages for entry in state.extracts.census() if entry.skip}
    indexed, total = state.chunks.count_mirrored(), state.chunks.count().chunks
    return StageResult(
        total=total,
        numbers=CodeNumbers(
            total=total,
            changed=changed,
            pages_cut=done - len(failed),
            pages_kept=indexed - done + len(failed),
            indexed=indexed,
            files_skipped=sum(counts.values()),
            failed=len(failed),
            removed=removed,
        ),
        version=digest_of(state.chunks.records_digests()),
        facts={CONFIGURATION: configuration_digest(run.project.root), RULES: cutting_rules()},
        skipped=[Skipped(page.url[1:], page.skip) for page in state.extracts.skipped(MAX_SKIPPED)],
        skip_reasons=counts,
        warnings=(
            *failed,
            *problem_lines(state, "chunks"),
            *secret_lines(state),
            *([] if installed() else [_NO_GRAMMARS]),
        ),
        tables={
            "Files with most chunks": [
                {"file": page.url[1:], "chunks": page.chunks} for page in state.chunks.biggest(10)
            ]
        }
        | secret_table(state),
    )


def _forget_removed(state: ScopeState) -> int:
    leaving = state.mirror.leaving()
    state.mirror.drop(leaving)
    return len(leaving.removed)


def _cut_files(run: ScopeRun, state: ScopeState, stale: Sequence[int]) -> Iterator[list[CutFile]]:
    """Split the files, here if they are few, otherwise in processes; results have the same order."""
    settings = run.project.settings
    jobs = (
        CodeJob(
            run.project.root,
            settings.model_dump_json(),
            run.source_mode,
            run.scope.name,
            state.extracts.pages(ids),
            run_id=run.run_id,
        )
        for ids in batches(stale, _BATCH)
    )
    workers = 0 if _is_small(state, stale) else settings.run.workers or default_workers()
    for results in map_batches(cut_batch, jobs, workers=workers, lost=without_grammar, split=one_file_each):
        yield [_cut_by_worker(run, result.file) if result.needs_worker else result for result in results]


def _cut_by_worker(run: ScopeRun, file: StoredPage) -> CutFile:
    """Split a file that may be damaged in a process of its own; at blank lines if that does not survive or start."""
    settings = run.project.settings
    limits = {
        "max_page_seconds": min(settings.run.max_page_seconds, _MAX_COSTLY_S),
        "max_page_memory_mb": min(settings.run.max_page_memory_mb, _MAX_COSTLY_MB),
    }
    strict = settings.model_copy(update={"run": settings.run.model_copy(update=limits)})
    job = CodeJob(
        run.project.root, strict.model_dump_json(), run.source_mode, run.scope.name, [file], run_id=run.run_id
    )
    (results,) = map_batches(cut_batch, [job], workers=1, lost=without_grammar)
    (result,) = without_grammar(job) if results[0].needs_worker else results
    return result


def _texts(batches: Iterable[Sequence[CutFile]]) -> Iterator[list[tuple[CutFile, list[str]]]]:
    """Each file with its texts to embed."""
    for files in batches:
        yield [(file, [embedded_text(file.file.raw.locator, chunk) for chunk in file.chunks]) for file in files]


def _is_small(state: ScopeState, stale: Sequence[int]) -> bool:
    size = 0
    for ids in batches(stale, _BATCH):
        sizes = [file.bytes for file in state.extracts.pages(ids)]
        size += sum(sizes)
        if size >= _SERIAL_BELOW_BYTES or max(sizes) > _SERIAL_FILE_BYTES:
            return False
    return True


def _store(run: ScopeRun, state: ScopeState, cut: CutFile, how: str, embedder: Embedder, redacted: RedactedPage) -> int:
    """Store the result for a file; return the number of new texts."""
    file = cut.file
    if cut.raw_hash != file.raw_hash:  # rewritten between listing and reading
        state.extracts.rewritten(file.id, cut.raw_hash)
    state.extracts.put(
        file.id, extract_key(file.raw, cut.raw_hash, how), ExtractedPage(title=file.raw.locator, body="", skip=cut.skip)
    )
    if cut.skip:
        return 0
    state.mirror.set_written(file.id, digest=cut.raw_hash, stamp="", generated_at="", route_resolution="none")
    page = _facts(file.raw.locator, cut)
    own = partial(_facts_of, page)
    chunks = cut_chunks(page, cut.chunks, run.scope, embedder.model_id, own, redacted.texts)
    tokens = [embedder.count_tokens(chunk.embedded) for chunk in chunks]
    run.on_event(Event("chunked", {"url": file.raw.url, "chunks": len(chunks)}))
    changed = state.chunks.replace(file.id, chunk_key(cut.raw_hash, how), chunks, tokens)
    state.problems.replace(file.id, "chunks", [cut.warning] if cut.warning else [])
    state.problems.replace(file.id, "secrets", secret_count(redacted))
    return changed


def _facts(locator: str, cut: CutFile) -> PageFacts:
    """The facts that all chunks of a file share."""
    roles = {"generated": cut.generated, "test": is_test(locator)}
    return PageFacts(
        url=f"/{locator}",
        title=locator,
        facets=tuple(f"{name}=true" for name, has_role in sorted(roles.items()) if has_role),
        source_file=locator,
        depth=locator.count("/"),
    )


def _facts_of(page: PageFacts, chunk: Chunk) -> PageFacts:
    """Facts of one chunk: a file may contain several languages, and each chunk has its own names and export status."""
    at = chunk.at
    exported = ("exported=true",) if isinstance(at, Lines) and at.exported else ()
    defines = at.defines if isinstance(at, Lines) else ()  # `line:kind:name`; a short class contains its methods
    kinds = sorted({chunk.kind, *(name.split(":", 2)[1] for name in defines)})
    facets = (*exported, *map(kind_label, kinds), *page.facets, *labels_of(at.heading_path))
    return replace(page, language=getattr(chunk.body, "language", ""), facets=facets)


@stage(
    "Embedding code",
    EmbeddingNumbers,
    reads=[code_chunks],
    kinds={"numpy"},
    columns=chunk_embeddings.columns,
    dry=count_embeddings,
    corpus=CODE,
)
def code_embeddings(run: ScopeRun, state: ScopeState) -> StageResult[EmbeddingNumbers]:
    """Embed every chunk of code; known texts come from the cache.

    Raises:
        BudgetExceeded: The estimate is over the budget; nothing was called.
        BadVectors, EmbedderUnavailable, EmbedderRefused: The provider failed; the cache keeps earlier vectors.
    """
    return embed_chunks(run, state, code_embeddings)


@stage(
    "Publishing code",
    IndexNumbers,
    reads=[code_chunks, code_embeddings],
    kinds={"sqlite", "numpy"},
    columns=(
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "path of the file from the project folder"),
        ("symbol", "string", "qualified name of the definition"),
        ("text", "string", "text that search and snippets use"),
        ("vector", "array<float32>", "embedding, a vector of length 1"),
    ),
    dry=count_changes,
    corpus=CODE,
)
def code_index(run: ScopeRun, state: ScopeState) -> StageResult[IndexNumbers]:
    """Build, verify and publish a new generation of the code index.

    Raises:
        LargeDeletion: More than half of the live files would be deleted.
        ConfigMissing: There is nothing to index at all.
        IndexCorrupt: The built generation failed verification; the live one stays.
        Interrupted: The run was told to stop; the live generation stays.
    """
    return publish_changes(run, state, code_index, code_embeddings, stage_code)


_BODIES = 200


def stage_code(run: ScopeRun, state: ScopeState, store: VectorStore) -> None:
    """Stage the texts of files that the live generation lacks; it drops those of removed files.

    A file that changed after it was split is left out: the next run splits it again.
    """
    live = dict(store.body_digests(run.scope))
    changed = ((url, digest) for url, digest in state.chunks.cut_pages() if live.get(url) != digest)
    for batch in batches(changed, _BODIES):
        store.stage_bodies(list(_page_bodies(run, state, batch)), run.scope)


def _page_bodies(run: ScopeRun, state: ScopeState, files: list[tuple[str, str]]) -> Iterator[PageBody]:
    source = run.make_source()
    pages = state.pages.see([url for url, _ in files])
    for url, digest in files:
        file = pages[url]
        try:
            data = source.read(RawPage(url, url, file.locator, file.stamp, "code"))
        except SourceUnavailable:
            continue
        if sha256(data) == digest:
            yield PageBody(url, digest, source_text(data)[0], _phrases(state.chunks.of_page(url)))


def _phrases(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    at = [chunk.at for chunk in chunks if isinstance(chunk.at, Lines)]
    names = [name for lines in at for name in lines.heading_path]
    texts = (chunk.body.text for chunk in chunks)
    return phrases_of_code(names, texts, [lines.doc for lines in at if lines.doc])


CODE_STAGES = (code_files, code_chunks, code_embeddings, code_index)
