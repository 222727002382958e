"""One crash: restore a state, kill a run over it, check, run again, check again."""

import multiprocessing
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bench.crashes import child, reader
from bench.crashes.check import Outcome, damage, differences, leftovers, outcome
from bench.crashes.processes import gone
from bench.crashes.runs import Kind
from bench.crashes.sites import use_version, write_versions

_PATIENCE_S = 120.0
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["bench.crashes.child", "bench.crashes.reader", "searchsocket.content.html.extract"])


@dataclass(slots=True)
class Prepared:
    """A kind with its starting state on disk, and what a run that was never killed makes of it."""

    kind: Kind
    state: Path
    steps: list[str]  # label of every step of the run that will be killed
    seconds: float  # that the run takes in a process of its own
    allowed: tuple[str, ...]  # digests of `main` that may be live meanwhile; "" = none
    expected: dict[str, Outcome]  # scope -> its state in the end


@dataclass(frozen=True, slots=True)
class Crash:
    """The result of one kill."""

    kind: str
    fell: str  # before which step, or at which part of the run's duration; "" = the run ended first
    answers: int  # that the reader got while all this happened
    problems: list[str] = field(default_factory=list)


class Workshop:
    """A project whose state is set back before every crash."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.versions = folder / "versions"
        self.root = folder / "site"
        self.state = self.root / ".searchsocket"
        write_versions(self.versions)
        self.root.mkdir()
        (self.root / "package.json").write_text('{"name": "crashes"}', encoding="utf-8")
        (self.root / "searchsocket.toml").write_text("[run]\nworkers = 1\n", encoding="utf-8")

    def prepare(self, kind: Kind) -> Prepared:
        """Make the state that the kind starts from, and go the whole way once without a crash."""
        shutil.rmtree(self.state, ignore_errors=True)
        self.state.mkdir()
        for version, step in kind.before:
            use_version(self.root, self.versions, version)
            in_process(child.run, self.root, step)
        copy = self.folder / "states" / kind.name
        shutil.copytree(self.state, copy)
        use_version(self.root, self.versions, kind.version)
        before = outcome(self.root, "main").digest
        began = time.perf_counter()
        steps: list[str] = in_process(child.count_steps, self.root, kind.step, answers=True)
        seconds = time.perf_counter() - began
        after = outcome(self.root, "main").digest
        for step in kind.then:
            in_process(child.run, self.root, step)
        expected = {scope: outcome(self.root, scope) for scope in kind.scopes}
        return Prepared(kind, copy, steps, seconds, (before, after, expected["main"].digest), expected)

    def restore(self, prepared: Prepared) -> None:
        shutil.rmtree(self.state, ignore_errors=True)
        shutil.copytree(prepared.state, self.state)
        use_version(self.root, self.versions, prepared.kind.version)

    def crash(self, prepared: Prepared, kill: Callable[[], tuple[str, list[str]]]) -> Crash:
        """Let `kill` start and kill the run; then everything that must be true is looked at."""
        self.restore(prepared)
        with watched(self.root, prepared.allowed) as report:
            fell, problems = kill()
            problems += [f"after the kill: {problem}" for problem in damage(self.root, "main")]
            try:
                for step in prepared.kind.then:
                    in_process(child.run, self.root, step)
            except RuntimeError as error:
                problems.append(f"the next run did not complete: {error}")
        problems += [f"reader: {problem}" for problem in report.problems]
        for scope, expected in prepared.expected.items():
            problems += [f"{scope}: other {name}" for name in differences(outcome(self.root, scope), expected)]
            problems += [f"after the next run: {problem}" for problem in damage(self.root, scope)]
        problems += [f"left behind: {path}" for path in leftovers(self.root)]
        return Crash(prepared.kind.name, fell, report.answers, problems)

    def crash_at_step(self, prepared: Prepared, number: int) -> Crash:
        """Die before step `number`: the same place on every machine."""

        def kill() -> tuple[str, list[str]]:
            label: str = in_process(child.die_before, self.root, prepared.kind.step, number, answers=True, dies=True)
            return label, []

        return self.crash(prepared, kill)

    def crash_at_moment(self, prepared: Prepared, part: float) -> Crash:
        """Die after `part` of the run's duration, with worker processes, wherever that is."""

        def kill() -> tuple[str, list[str]]:
            command = [sys.executable, "-m", "bench.crashes.child", str(self.root), prepared.kind.step]
            environ = os.environ | {"SEARCHSOCKET__RUN__WORKERS": "2"}
            with subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True, env=environ
            ) as process:
                assert process.stdout is not None
                process.stdout.readline()  # everything is imported
                handle = os.pidfd_open(process.pid)
                ended = bool(select.select([handle], [], [], part * prepared.seconds)[0])
                os.close(handle)
                process.kill()
            orphans = [] if gone(process.pid) else ["worker processes outlive the run"]
            return "" if ended else f"{part:.0%} of the time", orphans

        return self.crash(prepared, kill)


def in_process(work: Callable[..., None], *arguments: object, answers: bool = False, dies: bool = False) -> Any:
    """Call `work` in a fresh process and return what it sends, when it `answers`.

    Raises:
        RuntimeError: It failed.
    """
    here, there = _PROCESSES.Pipe(duplex=False)
    process = _PROCESSES.Process(target=work, args=(*arguments, there) if answers else arguments)
    process.start()
    there.close()
    answer = here.recv() if answers and here.poll(_PATIENCE_S) else None
    process.join(_PATIENCE_S)
    expected = -signal.SIGKILL if dies and answer else 0
    if process.exitcode != expected:
        process.kill()
        raise RuntimeError(f"{work.__name__} {arguments[1:]} ended with {process.exitcode}")
    return answer


@dataclass(slots=True)
class Report:
    """The report of the reader."""

    answers: int = 0
    problems: list[str] = field(default_factory=list)


@contextmanager
def watched(root: Path, allowed: tuple[str, ...]) -> Iterator[Report]:
    """Have another process search all the while."""
    here, there = _PROCESSES.Pipe()
    process = _PROCESSES.Process(target=reader.serve, args=(there,))
    process.start()
    report = Report()
    try:
        here.send((root, allowed))
        _expect(here)
        yield report
        here.send("stop")
        report.answers, report.problems = _expect(here)
        here.send(None)
        process.join(_PATIENCE_S)
    finally:
        process.kill()


def _expect(connection: Connection) -> Any:
    if not connection.poll(_PATIENCE_S):
        raise RuntimeError("the reader hangs")
    return connection.recv()


def draw_step(prepared: Prepared, source: random.Random) -> int:
    """Half of the kills anywhere, half before each sort of step alike, so that the rare ones are met, too."""
    if source.random() < 0.5:
        return source.randrange(len(prepared.steps))
    label = source.choice(sorted(set(prepared.steps)))
    return source.choice([number for number, step in enumerate(prepared.steps) if step == label])
