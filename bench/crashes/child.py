"""A run in its own process, which kills itself at a given step."""

import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from bench.crashes.dying import die, watch
from bench.crashes.runs import STEPS


def count_steps(root: Path, step: str, channel: Connection) -> None:
    """Run without dying; sends the label of every step."""
    labels: list[str] = []
    watch(root / ".searchsocket", labels.append)
    STEPS[step](root)
    channel.send(labels)


def die_before(root: Path, step: str, number: int, channel: Connection) -> None:
    """Run until step `number` (from 0) is about to happen; sends its label and dies, or sends "" at the end."""
    left = number

    def on_step(label: str) -> None:
        nonlocal left
        if left == 0:
            channel.send(label)
            die()
        left -= 1

    watch(root / ".searchsocket", on_step)
    STEPS[step](root)
    channel.send("")


def run(root: Path, step: str) -> None:
    """Run to the end, in the way of `STEPS`."""
    STEPS[step](root)


def main() -> None:
    """`python -m bench.crashes.child ROOT STEP`: print "begins" after all imports, then run."""
    print("begins", flush=True)
    run(Path(sys.argv[1]), sys.argv[2])
    print("ended", flush=True)
    os._exit(0)  # the verdict is given; tearing the interpreter down is not what is measured


if __name__ == "__main__":
    main()
