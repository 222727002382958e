"""Facts about each kind of source, known without opening one. Loads neither pydantic nor a source."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from searchsocket.extensions import built_in, extensions
from searchsocket.extensions.base import PageSource

# Placeholders in the address of a source for the name, branch or commit of a scope.
PLACEHOLDER = re.compile(r"\{(scope|branch_slug|branch|sha)(?::([1-9][0-9]?))?\}")


@dataclass(frozen=True, slots=True)
class SourceKind:
    """Facts about one kind of source. Each class of sources has its own as `kind`."""

    mode: str  # the value of `source.mode`
    formats: frozenset[str] = frozenset()  # of its pages, as Dagster shows them
    is_build: bool = False  # pages are the files of a build folder
    reads_commit: bool = False  # pages are files of a commit, which never change
    scope_setting: str = ""  # the setting that can name a scope
    section: str = ""  # its settings below `source`
    address_key: str = ""  # of its section: the address of another host that the pages come from

    @property
    def is_remote(self) -> bool:
        """True if the pages come from another host, which cannot be watched."""
        return bool(self.address_key)


STATIC_OUTPUT = SourceKind(
    "static-output", frozenset({"html"}), is_build=True, scope_setting="source.static_output_dir"
)
CONTENT_FILES = SourceKind("content-files", frozenset({"markdown"}), section="content_files")
GIT_BRANCH = SourceKind("git-branch", frozenset({"markdown", "git"}), reads_commit=True, section="content_files")
CODE_FILES = SourceKind("working-tree")
CODE_OF_COMMIT = SourceKind("git-branch", reads_commit=True)

_OF_CORE = {kind.mode: kind for kind in (STATIC_OUTPUT, CONTENT_FILES, GIT_BRANCH)}


def source_kind(mode: str | None) -> SourceKind:
    """The kind of a mode. None detects the source; until then a build is assumed."""
    return (_OF_CORE.get(mode) or _of_extensions()[mode]) if mode else STATIC_OUTPUT


def source_modes() -> tuple[str, ...]:
    """The modes of this distribution."""
    return (*_OF_CORE, *(extension.name for extension in built_in() if extension.source))


def _of_extensions() -> Mapping[str, SourceKind]:
    sources = {extension.name: extension.source for extension in extensions()}
    return {name: _kind(name, source) for name, source in sources.items() if source}


def _kind(name: str, source: PageSource) -> SourceKind:
    key = source.address_key
    scope_setting = f"source.{name}.{key}" if key else ""
    return SourceKind(name, frozenset(source.formats), scope_setting=scope_setting, section=name, address_key=key)
