"""Stage 4 of code: the live index of code and its chunks are compared, and what differs is published."""

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.corpora import CODE
from searchsocket.pipeline.run.numbers import IndexNumbers
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.code_bodies import stage_code
from searchsocket.pipeline.stages.code_chunks import code_chunks
from searchsocket.pipeline.stages.code_embeddings import code_embeddings
from searchsocket.pipeline.stages.search_index import only_counted, published
from searchsocket.state import ScopeState


@stage(
    "Publishing code",
    IndexNumbers,
    reads=[code_chunks, code_embeddings],
    kinds={"sqlite", "tantivy"},
    dry=only_counted,
    corpus=CODE,
)
def code_index(run: ScopeRun, state: ScopeState) -> StageResult[IndexNumbers]:
    """Build, verify and publish a new generation of the code index.

    Raises:
        LargeDeletion: More than half of the live files would go.
        ConfigMissing: There is nothing to index at all.
        IndexCorrupt: The built generation failed verification; the live one stays.
        Interrupted: The run was told to stop; the live generation stays.
    """
    return published(run, state, code_index, code_embeddings, stage_code)
