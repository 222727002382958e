"""Files and folders that a scope's index depends on, for watching."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.run.context import ScopeRun, corpora_of
from searchsocket.pipeline.unchanged.inputs import files_and_folders
from searchsocket.sources.content_files import ContentFilesSource
from searchsocket.sources.find import find_build
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.sources.static_output import StaticOutputSource
from searchsocket.system.git import ask_git

_MAGIC = "*?["
_NOT_SOURCE = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Targets:
    """Files, and folders with everything in them, that affect the index; including missing ones that may appear."""

    files: tuple[str, ...]
    folders: tuple[str, ...]
    settings: tuple[str, ...]  # the files with the configuration
    build: str = ""  # the folder of the built site


def targets_of(run: ScopeRun) -> Targets:
    """The local files and folders that a run over a scope reads."""
    root = run.project.root
    files, folders = files_and_folders(run)
    content = run.project.settings.source.content_files
    base = os.path.join(root, content.base_dir)
    build = ""
    with suppress(SearchSocketError, OSError):
        source = run.make_source()
        if isinstance(source, StaticOutputSource):
            build = os.path.normpath(os.path.join(root, source.origin.folder))
            others = {os.path.normpath(os.path.join(root, name)) for name in find_build(root).candidates_checked}
            folders = (*(folder for folder in folders if os.path.normpath(folder) not in others), build)
        elif isinstance(source, ContentFilesSource):
            stems = {os.path.normpath(os.path.join(base, _stem(glob))) for glob in content.globs}
            folders = tuple(sorted({*folders, *(stem for stem in stems if stem != os.path.normpath(root))}))
        elif globs := run.project.settings.source.of_mode(source.kind.mode).watched():
            folders = (*folders, *(os.path.join(root, _stem(glob)) for glob in globs if _stem(glob)))
            files = (*files, *(os.path.join(root, glob) for glob in globs if not _stem(glob)))
        elif isinstance(source, GitBranchSource):
            git = _git_folder(root / run.project.settings.source.git.repo_dir)
            folders, files = (os.path.join(git, "refs"),), (*files, os.path.join(git, "packed-refs"))
    if len(corpora_of(run.project.settings)) > 1:  # the others read files of the whole project
        folders = (*folders, *_source_folders(run))
    return Targets(files, _outermost(folders), settings_files(root), build)


def settings_files(root: Path) -> tuple[str, ...]:
    """The files that contain the configuration of a project."""
    return tuple(os.path.join(root, name) for name in ("searchsocket.toml", "pyproject.toml", "package.json"))


def _stem(glob: str) -> str:
    """The folder at the start of a glob: `docs` of `docs/**/*.md`."""
    parts = glob.split("/")[:-1]
    return "/".join(parts[: next((i for i, part in enumerate(parts) if set(part) & set(_MAGIC)), len(parts))])


def _source_folders(run: ScopeRun) -> Iterator[str]:
    for entry in os.scandir(run.project.root):
        if entry.is_dir() and not entry.name.startswith(".") and entry.name not in _NOT_SOURCE:
            yield entry.path


def _outermost(folders: Sequence[str]) -> tuple[str, ...]:
    """The folders without those inside another one."""
    outermost: list[str] = []
    for folder in sorted(set(map(os.path.normpath, folders))):
        if not any(folder.startswith(f"{other}{os.sep}") for other in outermost):
            outermost.append(folder)
    return tuple(outermost)


def _git_folder(folder: Path) -> str:
    """The folder of a repository's refs, also for a worktree; the usual place if git cannot tell."""
    with suppress(OSError, subprocess.SubprocessError):
        return ask_git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return os.path.join(folder, ".git")
