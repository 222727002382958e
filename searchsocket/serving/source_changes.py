"""Check if the source file of a page was written after the page was indexed (spec 14.1)."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath

from searchsocket.project.project import Project
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.search.answer import Result, SearchAnswer
from searchsocket.system.locators import path_of


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """Compares source files of a working tree with the times at which generations were published.

    A file that is written while a run reads the site counts as indexed. A file that was only touched counts as
    changed until the next generation.
    """

    root: str  # "" = sources are not files of this machine, such as those of a commit, which never change

    def changed(self, file: str, published_at: str) -> bool | None:
        """Return True if a file is newer than a generation; None if the file or the time is unknown.

        Args:
            file: Relative to the project; "" if the source of the page is unknown.
            published_at: ISO 8601.
        """
        path = path_of(file)
        parts = PurePosixPath(path).parts
        if not self.root or not parts or parts[0] == "/" or ".." in parts or "\0" in path:
            return None
        try:
            written = os.lstat(os.path.join(self.root, *parts)).st_mtime
            return written > datetime.fromisoformat(published_at).timestamp()
        except (OSError, ValueError):
            return None

    def marked(self, answer: SearchAnswer) -> SearchAnswer:
        """Return the answer with `changed_since` in the results, if it contains their sources."""
        published_at = answer.meta.published_at
        return replace(answer, results=self._mark_results(answer.results, published_at))

    def _mark_results(self, results: Sequence[Result], published_at: str) -> tuple[Result, ...]:
        return tuple(
            replace(result, changed_since=self.changed(result.source.file or result.route_file or "", published_at))
            if result.source
            else result
            for result in results
        )


def changes_of(project: Project) -> SourceChanges:
    """Return the changes of a project's source files; unknown if its site is built from a commit."""
    return SourceChanges("" if source_kind(project.settings.source.mode).reads_commit else str(project.root))
