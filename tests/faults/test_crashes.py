"""A slice of `python -m bench.crashes`: runs that are killed with SIGKILL before steps drawn from a seed."""

import random
from pathlib import Path

import pytest

from bench.crashes.crash import Workshop, draw_step
from bench.crashes.runs import KINDS


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_killed_run_harms_nothing(tmp_path: Path, kind: object) -> None:
    """The old index answers all the while, the next run leads where an unkilled one leads, and nothing stays behind.

    Failure modes 27 and 28: nothing is emptied before what replaces it is there.
    """
    workshop = Workshop(tmp_path)
    prepared = workshop.prepare(kind)  # type: ignore[arg-type]
    source = random.Random(7)
    for _ in range(3):
        crash = workshop.crash_at_step(prepared, draw_step(prepared, source))
        assert crash.problems == [], crash.fell
