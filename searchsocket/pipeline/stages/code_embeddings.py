"""Stage 3 of code: embed each text of code that was not embedded with this model before."""

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.corpora import CODE
from searchsocket.pipeline.run.numbers import EmbeddingNumbers
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.chunk_embeddings import embed_chunks, only_counted
from searchsocket.pipeline.stages.code_chunks import code_chunks
from searchsocket.state import ScopeState


@stage("Embedding code", EmbeddingNumbers, reads=[code_chunks], kinds={"numpy"}, dry=only_counted, corpus=CODE)
def code_embeddings(run: ScopeRun, state: ScopeState) -> StageResult[EmbeddingNumbers]:
    """Embed every chunk of code; known texts come from the cache.

    Raises:
        BudgetExceeded: The estimate is over the budget; nothing was called.
        BadVectors, EmbedderUnavailable, EmbedderRefused: The provider failed; the cache keeps earlier vectors.
    """
    return embed_chunks(run, state, code_embeddings)
