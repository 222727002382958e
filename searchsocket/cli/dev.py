"""`searchsocket dev`: keep index and service up to date while somebody works on the site."""

import errno
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.dagster import DEFAULT_PORT as DAGSTER_PORT
from searchsocket.cli.exits import received_signal, signals_noted
from searchsocket.cli.index_run import run_corpus
from searchsocket.cli.options import DecimalNumber, WholeNumber, load_project, quiet_option, scope_options
from searchsocket.cli.output import count, print_error, safe, say
from searchsocket.cli.serve import DEFAULT_PORT
from searchsocket.errors import SearchSocketError
from searchsocket.events import Event
from searchsocket.pipeline.branches.builds import build_of
from searchsocket.pipeline.run.context import Corpus, ScopeRun, corpora_of
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.pipeline.unchanged.snapshot import bytes_of
from searchsocket.pipeline.watching.watcher import (
    IndexScheduler,
    SiteState,
    Step,
    Watcher,
    scan_site,
    settings_files,
    targets_of,
)
from searchsocket.pipeline.watching.whole import Wholeness
from searchsocket.project.project import Project
from searchsocket.serving.hosts import is_loopback
from searchsocket.system.bound import start, start_shell, stop_group
from searchsocket.system.errors import system_error

_PORTS = 20  # tried if the port is in use
_WAIT_S = 0.5  # between two checks of signals and children
_NO_BUILD = "waiting for the first build of the site"
_INCOMPLETE = "waiting for the build to finish; missing"
_AFTER_READING = frozenset({"page_chunks", "chunk_embeddings", "search_index"})  # stages that do not read the build


@click.command()
@scope_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Address that the service binds.")
@click.option(
    "--port",
    type=WholeNumber(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port; the next free one if it is in use, 0 = any.",
)
@click.option(
    "--build", metavar="COMMAND", default="", help="Also run this command: one that builds the site at each change."
)
@click.option("--dagster", "with_dagster", is_flag=True, help="Also open Dagster's UI.")
@click.option("--dagster-port", type=WholeNumber(1, 65535), default=DAGSTER_PORT, show_default=True)
@click.option(
    "--settle",
    "settle_s",
    type=DecimalNumber(0, 600),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Wait until the build has not changed for this long.",
)
@quiet_option
def dev(
    root: Path,
    scope_name: str | None,
    host: str,
    port: int,
    build: str,
    with_dagster: bool,
    dagster_port: int,
    settle_s: float,
) -> None:
    """Watch the site, and keep index and service up to date.

    Watches build, routes, content and configuration; an open search page updates itself. Run your site's builder in
    parallel, or name it with --build.

    \b
    Example:
      searchsocket dev --build "npx vite build --watch"
      searchsocket dev --port 8190 --dagster
    """

    children = Children(root, host, port, dagster_port if with_dagster else 0, build)
    project = load_project(root)
    work = Work.begin(project, scope_name, settle_s)
    watcher = Watcher(project.state_dir)
    with signals_noted(), children.running():
        try:
            has_changed = True
            while not received_signal():
                if (has_changed or work.scheduler.is_due(time.time_ns())) and (view := work.read_site(watcher)):
                    children.follow(view.state, view.run.scope.name)
                    work.take(view)
                has_changed = watcher.wait(_WAIT_S)
                children.report_end_of_build()
        finally:
            watcher.close()


@dataclass(frozen=True, slots=True)
class SiteView:
    """Current state of the project."""

    project: Project
    run: ScopeRun
    state: SiteState
    build: str  # the folder of a built site; "" = the source is not a build


@dataclass(slots=True)
class Work:
    """The last state of the site and the result of its run."""

    root: Path
    scope_name: str | None
    scheduler: IndexScheduler
    last_line: str = ""  # printed last, so that no line is repeated

    @classmethod
    def begin(cls, project: Project, scope_name: str | None, settle_s: float) -> "Work":
        """Start with the number of live pages, so that a smaller build does not count as complete at once."""

        live = None
        with suppress(SearchSocketError):
            live = Backends(project, os.environ).store.generation(project.scope(os.environ, scope_name))
        whole = Wholeness(settle_s, live.pages if live else 0)
        return cls(project.root, scope_name, IndexScheduler(whole, project.root))

    def read_site(self, watcher: Watcher) -> SiteView | None:
        """Read the project and the state of its site; None if the configuration is invalid."""

        settings = bytes_of(settings_files(self.root.resolve()))
        try:
            project = load_project(self.root)
            scope = project.scope(os.environ, self.scope_name)
            run = ScopeRun(project, scope, "", environ=os.environ)
            targets = targets_of(run)
        except SearchSocketError as error:
            watcher.cover([os.path.join(self.root.resolve(), "searchsocket.toml")], [])
            self._say_error(error.code, str(error))
            return None
        watcher.cover((*targets.files, *targets.settings), targets.folders)
        return SiteView(project, run, scan_site(run, targets, settings), targets.build)

    def take(self, view: SiteView) -> None:
        """Index the site if its build is new and complete."""

        step = self.scheduler.step(view.state, view.build, time.time_ns())
        if step is Step.NO_BUILD:
            self._say(_NO_BUILD)
        elif step is Step.WAIT and (wait := self.scheduler.wait) and wait.missing:
            example = f", such as {safe(wait.example)}" if wait.example else ""
            if not self.last_line.startswith(_INCOMPLETE):  # once, however often the builder pauses
                self._say(f"{_INCOMPLETE}: {count(wait.missing, 'page')}{example}")
        elif step is Step.INDEX and self._index(view):
            self.scheduler.wholeness.remember()

    def _index(self, view: SiteView) -> bool:
        """Index a state of the site. Return True if it is live now."""

        self.last_line = ""
        start_s = time.perf_counter()

        is_reading = bool(view.build)

        def on_event(event: Event) -> None:
            nonlocal is_reading
            is_reading = is_reading and event.fields.get("stage") not in _AFTER_READING

        def is_overtaken() -> bool:
            """Return True if the builder wrote during the run, so that pages may come from two builds."""
            if not is_reading:
                return False
            now = build_of(view.run)
            return now is None or now.digest != view.state.build

        def index_corpus(corpus: Corpus) -> IndexSummary:
            run, scope = view.run, self.scope_name
            return run_corpus(view.project, run.scope, RunOptions(), on_event, corpus, scope, is_overtaken=is_overtaken)

        try:
            summary, *_ = [index_corpus(corpus) for corpus in corpora_of(view.project.settings)]
        except SystemExit:  # the error was printed
            return False
        except OSError as error:
            problem = system_error("cannot use", Path(os.fsdecode(error.filename or self.root)), error)
            self._say_error(problem.code, str(problem))
            return False
        self._say(_line(summary, time.perf_counter() - start_s))
        return True

    def _say(self, line: str) -> None:
        if line != self.last_line:
            say(line)
        self.last_line = line

    def _say_error(self, code: str, message: str) -> None:
        if message != self.last_line:
            print_error(code, message)
        self.last_line = message


def _line(summary: IndexSummary, seconds: float) -> str:
    upserted, deleted = summary.records["upserted"], summary.records["deleted"]
    if not upserted and not deleted:
        return f"nothing changed in generation {summary.generation}"
    embedded = f"{count(summary.embeddings['created'], 'text')} embedded"
    changes = f"{count(upserted, 'chunk')} written, {deleted:,} deleted, {embedded}"
    return f"{safe(summary.scope)}: {changes}, live as {summary.generation} after {seconds:.1f} s"


def free_port(host: str, port: int) -> int:
    """Return the port, or the next free one; the port itself if none of twenty is free."""
    for each in range(port, min(port + _PORTS, 65536)):
        try:
            with socket.create_server((host, each), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
                return each
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return port  # the service reports the reason
    return port


@dataclass(slots=True)
class Children:
    """The service and Dagster's UI, processes that end with this one."""

    root: Path
    host: str
    port: int
    dagster_port: int  # 0 = none
    build_command: str = ""
    started_with: tuple[str, str] | None = None  # digest of the settings, and the scope
    _service: subprocess.Popen[bytes] | None = None
    _builder: subprocess.Popen[bytes] | None = None
    _all: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start Dagster and the build command; stop all children at the end."""
        try:
            if self.dagster_port:
                self._all.append(
                    self._start("dagster", "--port", str(self.dagster_port), environ=self._dagster_environ())
                )
            if self.build_command:
                self._builder = start_shell(self.build_command, self.root)
                self._all.append(self._builder)
            yield
        finally:
            for child in self._all:
                if child.poll() is None:
                    child.terminate()
            for child in self._all:
                stop_group(child)

    def follow(self, state: SiteState, scope: str) -> None:
        """Start the service for the current scope; restart it if the settings or the scope change."""

        if (state.settings_digest, scope) == self.started_with:
            return
        if self._service is not None:
            stop_group(self._service)
            self._all.remove(self._service)
        elif (port := free_port(self.host, self.port)) != self.port:
            say(f"port {self.port} is in use; the service uses {port}")
            self.port = port
        self.started_with = (state.settings_digest, scope)
        trust = ["--dev"] if is_loopback(self.host) else []
        own = ("--host", self.host, "--port", str(self.port), "--scope", scope)
        self._service = self._start("serve", *own, *trust)
        self._all.append(self._service)

    def report_end_of_build(self) -> None:
        """Report once that the build command ended, so that nothing builds the site any more."""
        if self._builder is not None and (status := self._builder.poll()) is not None:
            say(f"the build command ended with status {status}; indexing continues when the build changes")
            self._builder = None

    def _start(self, *arguments: str, environ: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        # In a separate session: Ctrl-C reaches only this process, which stops the children in order.
        command = [arguments[0], "--project", str(self.root.resolve()), *arguments[1:]]
        return start(command, {**os.environ, **(environ or {})}, start_new_session=True)

    def _dagster_environ(self) -> dict[str, str]:
        """Return the variables for Dagster: branches become scopes if each has its own source."""

        return (
            {"SEARCHSOCKET__BRANCHES__DISCOVER": "true"}
            if load_project(self.root).settings.source.differs_by_scope()
            else {}
        )
