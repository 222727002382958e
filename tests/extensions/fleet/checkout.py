"""A machine with a checkout of the site, which indexes it."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from small_site import write_page

from searchsocket.events import Event
from searchsocket.pipeline.run.context import JudgeCandidate, ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.project.project import Project, open_project
from searchsocket.types import Scope


@dataclass
class Machine:
    """A disk with a checkout of the site."""

    root: Path
    environ: Mapping[str, str]
    name: str = "main"  # of the scope
    runs: int = 0
    heard: list[Event] = field(default_factory=list)

    @property
    def events(self) -> list[str]:
        return [event.name for event in self.heard]

    @property
    def extracted(self) -> list[str]:
        """URLs of the pages that its runs extracted."""
        return [event.fields["url"] for event in self.heard if event.name == "page_extracted"]

    @property
    def project(self) -> Project:
        return open_project(self.root, self.environ)

    @property
    def scope(self) -> Scope:
        return self.project.scope_named(self.name)

    def run(self, judge: JudgeCandidate | None = None, **options: bool) -> ScopeRun:
        self.runs += 1
        return ScopeRun(
            self.project,
            self.scope,
            f"{self.root.name}-{self.runs}",
            RunOptions(**options),  # type: ignore[arg-type]
            self.heard.append,
            environ=self.environ,
            judge=judge,
        )

    def index(self, judge: JudgeCandidate | None = None, **options: bool) -> str:
        return self.summary(judge, **options).generation

    def summary(self, judge: JudgeCandidate | None = None, **options: Any) -> IndexSummary:
        return index_scope(self.run(judge, **options))

    def write(self, url: str, text: str) -> None:
        write_page(self.root, url, url.title(), text)

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        result = subprocess.run(
            ["git", "-C", self.root, *identity, *arguments], check=True, capture_output=True, text=True
        )
        return result.stdout.strip()

    def commit(self) -> str:
        self.git("add", "build", "package.json")
        self.git("commit", "-qm", "More pages")
        return self.git("rev-parse", "HEAD")
