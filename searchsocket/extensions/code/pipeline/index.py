"""Stage 4 of code: compare the live index of code with its chunks, and publish the differences."""

from collections.abc import Iterator, Sequence

from searchsocket.content.pages import RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.code.corpus import CODE
from searchsocket.extensions.code.parsing.text import source_text
from searchsocket.extensions.code.pipeline.chunks import code_chunks
from searchsocket.extensions.code.pipeline.files import code_files
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import EmbeddingNumbers, IndexNumbers, StageResult, sha256
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.chunk_embeddings import chunk_embeddings, count_embeddings, embed_chunks
from searchsocket.pipeline.stages.search_index import count_changes, publish_changes
from searchsocket.state.scope import ScopeState
from searchsocket.stores.base.index_reader import PageBody
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.system.batches import batches
from searchsocket.text.key_phrases import phrases_of_code
from searchsocket.types import Chunk, Lines


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


_BATCH = 200


def stage_code(run: ScopeRun, state: ScopeState, store: VectorStore) -> None:
    """Stage the texts of files that the live generation lacks; it drops those of removed files.

    A file that changed after it was split is left out: the next run splits it again.
    """
    live = dict(store.body_digests(run.scope))
    changed = ((url, digest) for url, digest in state.chunks.cut_pages() if live.get(url) != digest)
    for batch in batches(changed, _BATCH):
        store.stage_bodies(list(_texts(run, state, batch)), run.scope)


def _texts(run: ScopeRun, state: ScopeState, files: list[tuple[str, str]]) -> Iterator[PageBody]:
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
