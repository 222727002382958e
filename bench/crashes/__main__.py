"""A ledger of crashes: `python -m bench.crashes --count 200 --seed 1`.

Runs of every kind are killed with SIGKILL at random moments. Most are killed before a step that is drawn from all steps
by which the run changes its state directory, some after a random part of the run's duration. Meanwhile another process
searches. After each kill, the old index must answer completely and the next run must complete. Its result must equal
that of a run without a kill, and no temporary file may remain.

`--kills N` instead kills the real command N times over a site of 1,500 pages, see `kills.py`. `--folder` keeps site and
ledger, so that the same command continues after an interruption.
"""

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bench.crashes.crash import Crash, Prepared, Workshop, draw_step
from bench.crashes.kills import compared_with_fresh, kill_many, print_kills
from bench.crashes.runs import KINDS

_BY_CLOCK_EVERY = 10
_PLACES = 6


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.crashes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200, help="total number of kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=[kind.name for kind in KINDS], help="only this kind of run")
    parser.add_argument("--kills", type=int, metavar="N", help="kill the real command N times instead")
    parser.add_argument("--folder", type=Path, help="site and ledger of --kills; default: a temporary folder")
    arguments = parser.parse_args()
    if arguments.kills:
        kill_the_command(arguments.kills, arguments.folder, arguments.seed)
        return
    folder = Path(tempfile.mkdtemp(prefix="searchsocket-crashes-"))
    try:
        workshop = Workshop(folder)
        kinds = [workshop.prepare(kind) for kind in KINDS if arguments.kind in (None, kind.name)]
        source = random.Random(arguments.seed)
        crashes = [
            crash_once(workshop, kinds[number % len(kinds)], number, source) for number in range(arguments.count)
        ]
    finally:
        shutil.rmtree(folder)
    print_ledger(kinds, crashes)
    if any(crash.problems for crash in crashes):
        raise SystemExit(1)


def kill_the_command(kills: int, ledger_folder: Path | None, seed: int) -> None:
    folder = ledger_folder or Path(tempfile.mkdtemp(prefix="searchsocket-kills-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        ledger = kill_many(folder, kills, seed)
        problems = compared_with_fresh(folder)
    finally:
        if ledger_folder is None:
            shutil.rmtree(folder)
    print_kills(ledger, problems)
    if problems or any(kill.problems for kill in ledger):
        raise SystemExit(1)


def crash_once(workshop: Workshop, prepared: Prepared, number: int, source: random.Random) -> Crash:
    if number % _BY_CLOCK_EVERY == _BY_CLOCK_EVERY - 1:
        crash = workshop.crash_at_moment(prepared, source.random())
    else:
        crash = workshop.crash_at_step(prepared, draw_step(prepared, source))
    print(f"{number + 1} {crash.kind}: {crash.fell or 'ended first'}", *crash.problems, sep="\n   ", file=sys.stderr)
    return crash


def print_ledger(kinds: list[Prepared], crashes: list[Crash]) -> None:
    """The table, and every problem below it."""
    print("| run | steps | kills | ended first | answers meanwhile | fell most often before | problems |")
    print("|---|---:|---:|---:|---:|---|---:|")
    for prepared in kinds:
        mine = [crash for crash in crashes if crash.kind == prepared.kind.name]
        places = Counter(crash.fell for crash in mine if crash.fell and "%" not in crash.fell)
        by_clock = sum("%" in crash.fell for crash in mine)
        steps = [f"{place} ({count})" for place, count in places.most_common(_PLACES)]
        steps += [f"by the clock ({by_clock})"] if by_clock else []
        print(
            f"| {prepared.kind.name} | {len(prepared.steps)} | {len(mine)} | {sum(not crash.fell for crash in mine)} | "
            f"{sum(crash.answers for crash in mine)} | {', '.join(steps)} | "
            f"{sum(bool(crash.problems) for crash in mine)} |"
        )
    sorts = {crash.fell for crash in crashes if crash.fell and "%" not in crash.fell}
    print(f"\n{len(crashes)} kills before {len(sorts)} sorts of step.")
    for crash in crashes:
        for problem in crash.problems:
            print(f"- {crash.kind}, {crash.fell}: {problem}")


if __name__ == "__main__":
    main()
