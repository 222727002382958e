"""The part of cutting source files that runs in worker processes: bytes in, chunks out."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.code.parsing.chunks import blank_line_chunks, chunk_source
from searchsocket.extensions.code.parsing.definitions.grammars import ParserTooCostly
from searchsocket.extensions.code.parsing.file_kinds import is_generated, language_of_file
from searchsocket.extensions.code.parsing.languages import header_language, is_header
from searchsocket.extensions.code.parsing.reading import is_binary, is_pointer, source_text
from searchsocket.extensions.code.sources.files import CommitSource, WorkingTreeSource, make_code_source
from searchsocket.extensions.code.sources.walk import HEAD_BYTES
from searchsocket.pipeline.run.results import sha256
from searchsocket.project.settings.load import settings_from_json
from searchsocket.project.settings.model import RunSettings
from searchsocket.state.extracts import StoredPage
from searchsocket.system.locators import path_of
from searchsocket.system.processes import limited
from searchsocket.types import Chunk


@dataclass(frozen=True, slots=True)
class CodeJob:
    """A batch of source files, with everything that another process needs to read and split them."""

    root: Path
    settings_json: str
    mode: str | None
    scope: str
    files: Sequence[StoredPage]
    owner: int = field(default_factory=os.getpid)  # the process that runs the stage
    parses: bool = True  # False: split only at blank lines, since no worker survived the grammar
    run_id: str = ""  # for processes that outlive a run, since the next run may read another commit


@dataclass(frozen=True, slots=True)
class CutFile:
    """Result of splitting one file."""

    file: StoredPage
    raw_hash: str  # of the bytes that were cut, which may be newer than the listed ones
    chunks: Sequence[Chunk] = ()
    skip: str = ""  # why it is not indexed
    generated: bool = False
    error: str = ""  # why it could not be read; then all else is empty
    warning: str = ""
    needs_worker: bool = False  # parsing may take too much for the process that runs the stage; it has no chunks


def cut_batch(job: CodeJob) -> list[CutFile]:
    """Read and split a batch; a file that cannot be read, or never finishes parsing, does not affect the others."""
    source = _source(job.root, job.settings_json, job.mode, job.scope, job.run_id)
    # A limit may end the process.
    limits = settings_from_json(job.settings_json).run if job.owner != os.getpid() else None
    return [_cut(source, file, limits, parses=job.parses) for file in job.files]


def one_file_each(job: CodeJob) -> list[CodeJob]:
    """Split a batch into batches of one file, to find the file that no worker survives."""
    return [replace(job, files=[file]) for file in job.files]


def without_grammar(job: CodeJob) -> list[CutFile]:
    """Split files that no worker survived at blank lines, in this process and without parsing."""
    warning = "parsing took too much time or memory, so it is split at blank lines"
    return [replace(result, warning=result.warning or warning) for result in cut_batch(replace(job, parses=False))]


def _cut(
    source: WorkingTreeSource | CommitSource, file: StoredPage, limits: RunSettings | None, *, parses: bool
) -> CutFile:
    try:
        data = source.read(file.raw)
    except SourceUnavailable as error:
        return CutFile(file, file.raw_hash, error=str(error))
    if is_binary(data):
        return CutFile(file, sha256(data), skip="binary")
    if is_pointer(data):
        return CutFile(file, sha256(data), skip="not fetched by Git LFS")
    text, odd = source_text(data)
    path = path_of(file.raw.locator)
    name = PurePosixPath(path).name
    # "text": a type that only `code.include` names
    language = header_language(text) if is_header(name) else language_of_file(name, data[:HEAD_BYTES]) or "text"
    try:
        with limited(limits):
            if parses:
                chunks = chunk_source(path, text, language, is_guarded=limits is None)
            else:
                chunks = blank_line_chunks(text, language)
    except ParserTooCostly:
        return CutFile(file, sha256(data), needs_worker=True)
    except (MemoryError, RecursionError) as error:
        chunks = blank_line_chunks(text, language)
        odd = f"{type(error).__name__} while parsing, so it is split at blank lines"
    return CutFile(file, sha256(data), chunks, generated=is_generated(name, text), warning=odd)


@lru_cache(maxsize=4)
def _source(
    root: Path, settings_json: str, mode: str | None, scope: str, run_id: str
) -> WorkingTreeSource | CommitSource:
    return make_code_source(root, settings_from_json(settings_json), mode, scope)
