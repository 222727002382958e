"""Kills of the real command over a site of 1,500 pages, at moments over the whole run.

Between two kills some pages are edited, so that there is work. Before every third kill, the edits are so many that
worker processes extract them, and the kill comes during that. Sometimes a run may complete; then the index must equal
the site. After the last kill, the index is compared with a fresh one. The folder keeps site and ledger: started again
on it, the bench continues.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.crashes.check import damage, differences, leftovers, outcome
from bench.crashes.edited_site import EditedSite
from bench.crashes.processes import gone

_COMPLETE_EVERY = 25  # kills
_MANY_EVERY = 3  # kills
_FEW = 8
_MANY = 370  # pages of 12 kB: more than are extracted without worker processes
_COMPARED = ("records", "digest", "mirror", "chunks")  # a fresh index knows nothing of pages that are gone
_COMMAND = [sys.executable, "-m", "searchsocket.cli.main", "index", "--json", "--project"]


@dataclass(frozen=True, slots=True)
class Kill:
    """The result of one kill."""

    number: int
    event: str  # the last that was heard of; "" = none yet, "ended" = the run ended first
    workers: bool  # whether they were at work
    seconds: float  # from the start of the run until none of its processes was left
    dying_seconds: float  # of these, after the kill
    published: bool
    problems: list[str]


def kill_many(folder: Path, kills: int, seed: int) -> list[Kill]:
    """Kill runs until the ledger in `folder` has `kills` entries; then compare with a fresh index."""
    site = EditedSite(folder / "site")
    ledger = folder / "kills.jsonl"
    done = [Kill(**json.loads(line)) for line in ledger.read_text().splitlines()] if ledger.exists() else []
    if not (folder / "seconds.txt").exists():
        began = time.monotonic()
        _complete(site)
        print(f"indexed {site.pages} pages in {time.monotonic() - began:.0f} s", file=sys.stderr)
        site.edit(random.Random(seed), _FEW)
        began = time.monotonic()
        _complete(site)
        (folder / "seconds.txt").write_text(str(time.monotonic() - began))
    duration_s = float((folder / "seconds.txt").read_text())
    for number in range(len(done), kills):
        kill = _kill_once(site, number, random.Random(f"{seed} {number}"), duration_s)
        done.append(kill)
        with open(ledger, "a") as file:
            file.write(json.dumps(asdict(kill)) + "\n")
        print(
            f"{number + 1} {kill.event or 'starting'} {kill.seconds:.1f} s",
            *kill.problems,
            sep="\n   ",
            file=sys.stderr,
        )
    return done


def compared_with_fresh(folder: Path) -> list[str]:
    """In what the index after all kills differs from one that was made at once."""
    site, fresh = EditedSite(folder / "site"), folder / "fresh"
    problems = _complete(site)
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(site.root, fresh, ignore=shutil.ignore_patterns(".searchsocket"))
    subprocess.run([*_COMMAND, str(fresh)], capture_output=True, check=True)
    different = differences(outcome(site.root, "main"), outcome(fresh, "main"))
    return problems + [f"other {name} than a fresh index" for name in different if name in _COMPARED]


def print_kills(kills: list[Kill], problems: list[str]) -> None:
    """The ledger as a table, and every problem below it."""
    events = Counter(kill.event or "starting" for kill in kills)
    print(
        "| kills | while workers extracted | published | problems | longest until no process was left, s | s a kill |"
    )
    print("|---:|---:|---:|---:|---:|---:|")
    print(
        f"| {len(kills)} | {sum(kill.workers for kill in kills)} | {sum(kill.published for kill in kills)} | "
        f"{sum(bool(kill.problems) for kill in kills) + len(problems)} | "
        f"{max(kill.dying_seconds for kill in kills):.2f} | {sum(kill.seconds for kill in kills) / len(kills):.1f} |"
    )
    print(f"\nLast heard of: {', '.join(f'{event} {count}' for event, count in events.most_common())}.")
    for problem in [*(f"kill {kill.number + 1}: {text}" for kill in kills for text in kill.problems), *problems]:
        print(f"- {problem}")


def _kill_once(site: EditedSite, number: int, source: random.Random, duration_s: float) -> Kill:
    many = number % _MANY_EVERY == 0
    site.edit(source, _MANY if many else _FEW)
    before = site.live()
    began = time.monotonic()
    run = _started(site)
    event, workers = (
        _heard(run, source.randrange(1, _MANY)) if many else _waited(run, source.uniform(0.3, 1.1) * duration_s)
    )
    killed = time.monotonic()
    run.kill()
    run.communicate()
    problems = [] if gone(run.pid) else ["processes outlive the run"]
    over = time.monotonic()
    if run.returncode not in (0, -9):
        problems.append(f"the run ended with {run.returncode}")
    after = site.live()
    if after != before:
        problems += site.wrong()
    problems += damage(site.root, "main")
    if number % _COMPLETE_EVERY == _COMPLETE_EVERY - 1:
        problems += _complete(site)
    return Kill(
        number,
        "ended" if run.returncode == 0 else event,
        workers,
        over - began,
        over - killed,
        after != before,
        problems,
    )


def _started(site: EditedSite) -> "subprocess.Popen[str]":
    environ = os.environ | {"SEARCHSOCKET__RUN__WORKERS": "2"}
    return subprocess.Popen(
        [*_COMMAND, str(site.root)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environ,
    )


def _heard(run: "subprocess.Popen[str]", pages: int) -> tuple[str, bool]:
    """Wait until a number of pages was extracted."""
    extracted = 0
    assert run.stderr is not None
    for event in _events(run.stderr):
        extracted += event.get("event") == "page_extracted"
        if extracted == pages:
            return "page_extracted", True
    return "", False


def _waited(run: "subprocess.Popen[str]", seconds: float) -> tuple[str, bool]:
    """Wait for a time."""
    try:
        _, log = run.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        log = (error.stderr or b"").decode()
    return next((str(event["event"]) for event in _events(reversed(log.splitlines()))), ""), False


def _events(lines: Iterable[str]) -> Iterator[dict[str, object]]:
    for line in lines:
        if line.startswith("{") and line.rstrip().endswith("}"):  # the last one may be cut
            yield json.loads(line)


def _complete(site: EditedSite) -> list[str]:
    """Let a run come to its end; then everything must be there."""
    done = subprocess.run([*_COMMAND, str(site.root)], capture_output=True, text=True, check=False)
    if done.returncode:
        return [f"a run that was not killed ended with {done.returncode}: {done.stdout} {done.stderr[-300:]}"]
    return [*site.wrong(), *damage(site.root, "main"), *(f"left behind: {path}" for path in leftovers(site.root))]
