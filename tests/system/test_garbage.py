"""Garbage is not looked for while much is loaded."""

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from searchsocket.system.this_process import loading


@pytest.fixture
def looked() -> Iterator[list[str]]:
    """Record the phases of the garbage collector."""
    phases: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        phases.append(phase)

    gc.callbacks.append(note)
    yield phases
    gc.callbacks.remove(note)


def many() -> list[list[int]]:
    return [[number] for number in range(50_000)]


def test_collection_is_paused_inside_and_resumes_afterwards(looked: list[str]) -> None:
    with loading():
        objects = many()
        assert not looked
    assert gc.isenabled()
    assert len(many()) == len(objects)
    assert looked


def test_a_disabled_collector_stays_disabled() -> None:
    gc.disable()
    try:
        with loading():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_loaded_modules_are_frozen_once_per_process() -> None:
    """Else a process that loads often would never close what its garbage has open."""
    gc.unfreeze()
    try:
        with loading():
            objects = many()
        frozen = gc.get_freeze_count()
        assert frozen >= len(objects)
        with loading():
            more = many()
        assert gc.get_freeze_count() < frozen + len(more)
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("ends_at_once", [False, True])
def test_a_process_that_ends_at_once_looks_for_nothing_and_finishes_what_it_began(ends_at_once: bool) -> None:
    program = (
        "import weakref\n"
        "from searchsocket.system.this_process import end_at_once\n"
        "class Ring:\n"
        "    def __init__(self): self.ring = self\n"
        "    def __del__(self): print('looked for')\n"
        "weakref.finalize(Ring, print, 'finished')\n"
        "Ring()\n"
        f"if {ends_at_once}: end_at_once(), end_at_once()\n"
    )
    result = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split("\n") == (["finished", ""] if ends_at_once else ["finished", "looked for", ""])
