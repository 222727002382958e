"""Garbage is not looked for while much is loaded."""

import gc
from collections.abc import Iterator

import pytest

from searchsocket.system.garbage import keep_loaded, loading


@pytest.fixture
def looked() -> Iterator[list[str]]:
    """What the collector does, as it does it."""
    phases: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        phases.append(phase)

    gc.callbacks.append(note)
    yield phases
    gc.callbacks.remove(note)


def many() -> list[list[int]]:
    return [[number] for number in range(50_000)]


def test_nothing_is_looked_for_inside_and_it_is_afterwards(looked: list[str]) -> None:
    with loading():
        held = many()
        assert not looked
    assert gc.isenabled()
    assert len(many()) == len(held)
    assert looked


def test_who_has_switched_it_off_keeps_it_so() -> None:
    gc.disable()
    try:
        with loading():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_is_loaded_is_set_apart_once() -> None:
    gc.unfreeze()
    try:
        keep_loaded()
        kept = gc.get_freeze_count()
        more = many()
        keep_loaded()
        assert gc.get_freeze_count() <= kept < kept + len(more)
    finally:
        gc.unfreeze()
