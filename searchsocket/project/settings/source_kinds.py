"""Facts about each kind of source, known without opening one. Loads neither pydantic nor a source."""

import re
from dataclasses import dataclass
from typing import Literal

SourceMode = Literal["static-output", "content-files", "git-branch", "crawl", "records"]

# Placeholders in `source.crawl.base_url` for the name, branch or commit of a scope.
PLACEHOLDER = re.compile(r"\{(scope|branch_slug|branch|sha)(?::([1-9][0-9]?))?\}")


@dataclass(frozen=True, slots=True)
class SourceKind:
    """Facts about one kind of source. Each class of sources has its own as `kind`."""

    mode: str  # the value of `source.mode`
    formats: frozenset[str] = frozenset()  # of its pages, as Dagster shows them
    is_build: bool = False  # pages are the files of a build folder
    is_remote: bool = False  # pages come from another host, which cannot be watched
    reads_commit: bool = False  # pages are files of a commit, which never change
    scope_setting: str = ""  # the setting that can name a scope


STATIC_OUTPUT = SourceKind(
    "static-output", frozenset({"html"}), is_build=True, scope_setting="source.static_output_dir"
)
CONTENT_FILES = SourceKind("content-files", frozenset({"markdown"}))
GIT_BRANCH = SourceKind("git-branch", frozenset({"markdown", "git"}), reads_commit=True)
CRAWL = SourceKind("crawl", frozenset({"html", "http"}), is_remote=True, scope_setting="source.crawl.base_url")
RECORDS = SourceKind("records", frozenset({"json"}))
CODE_FILES = SourceKind("working-tree")
CODE_OF_COMMIT = SourceKind("git-branch", reads_commit=True)

_KINDS = {kind.mode: kind for kind in (STATIC_OUTPUT, CONTENT_FILES, GIT_BRANCH, CRAWL, RECORDS)}


def source_kind(mode: str | None) -> SourceKind:
    """The kind of a mode. None detects the source; until then a build is assumed."""
    return _KINDS[mode] if mode else STATIC_OUTPUT
