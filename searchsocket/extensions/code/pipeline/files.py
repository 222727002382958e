"""Stage 1 of code: list the source files, and detect changed and deleted ones."""

from searchsocket.extensions.code.corpus import CODE
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import PageNumbers, StageResult
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.site_pages import list_pages
from searchsocket.state.scope import ScopeState


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
