"""Choose the configured source of code."""

from pathlib import Path

from searchsocket.errors import ConfigMissing
from searchsocket.extensions.code.parsing.reading import SourceReading
from searchsocket.extensions.code.parsing.selection import glob_filter
from searchsocket.extensions.code.settings import CodeSettings
from searchsocket.extensions.code.sources.commit import CommitSource
from searchsocket.extensions.code.sources.working_tree import WorkingTreeSource
from searchsocket.project.location import is_no_project
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.source_kinds import source_kind


def make_code_source(
    root: Path, settings: Settings, mode: str | None = None, branch: str = ""
) -> WorkingTreeSource | CommitSource:
    """The source files of a project: of the commit if its pages come from one, otherwise of the working tree.

    Args:
        mode: Overrides `source.mode`.
        branch: Branch or scope to read, unless `source.git.branch` is set.

    Raises:
        ConfigError: A glob of `code.include` or `code.exclude` cannot be read.
        ConfigMissing: The folder is a home folder or the root of a disk, and has no settings.
    """
    if is_no_project(root):
        raise ConfigMissing(
            f"{root} is not a project: change to the project's folder or name it with --project; "
            "`searchsocket code init` makes a project of this folder"
        )
    code, git = settings.section(CodeSettings), settings.source.git
    reading = reading_of(settings)
    chosen = glob_filter(code.include, code.exclude)
    if source_kind(mode or settings.source.mode).reads_commit:
        revision = git.branch or branch or "HEAD"
        return CommitSource(root / git.repo_dir, revision, chosen, max_file_bytes=code.max_file_bytes, reading=reading)
    return WorkingTreeSource(root, chosen, max_file_bytes=code.max_file_bytes, reading=reading)


def reading_of(settings: Settings) -> SourceReading:
    """The reading of a project's source files, with its settings."""
    return SourceReading(settings.redaction.names, settings.redaction.keep)
