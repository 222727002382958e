"""Stage 1 of code: list the source files, and detect changed and deleted ones."""

import os
from pathlib import Path

from searchsocket.pipeline.run.context import CODE, ScopeRun
from searchsocket.pipeline.run.numbers import PageNumbers
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.site_pages import list_pages
from searchsocket.state import ScopeState
from searchsocket.system.errors import system_error


def file_stamp(path: Path | str) -> str:
    """Size and time of a file, or of a link with its name; "" if there is none."""
    try:
        stat = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise system_error("cannot read", Path(path), error) from error
    return f"{stat.st_size}:{stat.st_mtime_ns}"


@stage("Reading the source files", PageNumbers, kinds={"git"}, corpus=CODE)
def code_files(run: ScopeRun, state: ScopeState) -> StageResult[PageNumbers]:
    """List the source files of the project and detect which of them changed.

    Follows git and the ignore files. Never reads secrets, dependencies, build output or binaries.

    Raises:
        SourceUnavailable: Nothing can be listed, or an ignore file cannot be read.
        LargeDeletion: More than half of the known files are gone; nothing was marked.
        EmbeddingModelMismatch: The scope is indexed with another model and the run is not forced.
    """
    return list_pages(run, state, code_files)
