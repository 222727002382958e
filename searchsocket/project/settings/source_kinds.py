"""Facts about each kind of source, known without opening one. Loads neither pydantic nor a source."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from searchsocket.project.settings.site import SourceSettings

SourceMode = Literal["static-output", "content-files", "git-branch", "crawl", "records"]

# Placeholders in `source.crawl.base_url` for the name, branch or commit of a scope.
PLACEHOLDER = re.compile(r"\{(scope|branch_slug|branch|sha)(?::([1-9][0-9]?))?\}")


def _check_build(_: "SourceSettings") -> str:
    return "check the build folder with `searchsocket doctor`"


def _check_globs(source: "SourceSettings") -> str:
    globs = ", ".join(source.content_files.globs)
    return f"check source.content_files.globs ({globs}) and base_dir"


def _check_crawl(_: "SourceSettings") -> str:
    return "check source.crawl.base_url and its answers"


def _check_records(source: "SourceSettings") -> str:
    if reader := source.records.reader:
        return f"check what the entry point {reader!r} (source.records.reader) yields"
    return f"check source.records.files ({', '.join(source.records.files)})"


def _check_code_globs(_: "SourceSettings") -> str:
    return "check code.include and code.exclude"


@dataclass(frozen=True, slots=True)
class SourceKind:
    """Facts about one kind of source. Each class of sources has its own as `kind`."""

    mode: str  # the value of `source.mode`
    advice: Callable[["SourceSettings"], str]  # what to check if it returned no text
    formats: frozenset[str] = frozenset()  # of its pages, as Dagster shows them
    is_build: bool = False  # pages are the files of a build folder
    is_remote: bool = False  # pages come from another host, which cannot be watched
    reads_commit: bool = False  # pages are files of a commit, which never change
    # True if each scope has its own source instead of sharing the working tree.
    differs_by_scope: Callable[["SourceSettings"], bool] = lambda _: False
    scope_setting: str = ""  # the setting that can name a scope


STATIC_OUTPUT = SourceKind(
    "static-output",
    _check_build,
    frozenset({"html"}),
    is_build=True,
    differs_by_scope=lambda source: "{scope}" in source.static_output_dir,
    scope_setting="source.static_output_dir",
)
CONTENT_FILES = SourceKind("content-files", _check_globs, frozenset({"markdown"}))
GIT_BRANCH = SourceKind(
    "git-branch",
    _check_globs,
    frozenset({"markdown", "git"}),
    reads_commit=True,
    differs_by_scope=lambda source: not source.git.branch,
)
CRAWL = SourceKind(
    "crawl",
    _check_crawl,
    frozenset({"html", "http"}),
    is_remote=True,
    differs_by_scope=lambda source: PLACEHOLDER.search(source.crawl.base_url) is not None,
    scope_setting="source.crawl.base_url",
)
RECORDS = SourceKind("records", _check_records, frozenset({"json"}))
CODE_FILES = SourceKind("working-tree", _check_code_globs)
CODE_OF_COMMIT = SourceKind("git-branch", _check_code_globs, reads_commit=True)

_KINDS = {kind.mode: kind for kind in (STATIC_OUTPUT, CONTENT_FILES, GIT_BRANCH, CRAWL, RECORDS)}


def source_kind(mode: str | None) -> SourceKind:
    """The kind of a mode. None detects the source; until then a build is assumed."""
    return _KINDS[mode] if mode else STATIC_OUTPUT
