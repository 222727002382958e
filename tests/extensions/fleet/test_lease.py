"""Machines that may take a lease, and whose index continues the published one."""

from datetime import UTC, datetime

import pytest

from searchsocket.extensions.fleet.documents import Pointer, Writer
from searchsocket.extensions.fleet.lease import DURATION_S, Action, is_built_on, next_action, with_lease, without_lease

NOW = datetime(2026, 11, 26, tzinfo=UTC)
HERE = Writer(host="here", pid=1, run="a", disk="disk of here")
THERE = Writer(host="there", pid=1, run="b", disk="disk of there")
EMPTY = Pointer(project_id="site", scope="main")
GENERATION, DESCRIPTION = "20261126T000000Z-abcdef", "0" * 64


@pytest.mark.parametrize(
    ("writer", "token", "age_s", "expected"),
    [
        (THERE, "new", 0.0, Action.WAIT),
        (THERE, "new", DURATION_S - 1, Action.WAIT),
        (THERE, "new", DURATION_S, Action.TAKE),
        (HERE, "new", 0.0, Action.TAKE),  # the lock of the disk is free, so its holder is dead
        (HERE, "token", 0.0, Action.CONTINUE),
    ],
)
def test_a_lease_is_taken_once_its_holder_must_be_dead(
    writer: Writer, token: str, age_s: float, expected: Action
) -> None:
    lease = with_lease(EMPTY, HERE, "token", NOW).lease
    assert next_action(lease, writer, token, age_s) is expected


def test_each_holder_has_a_higher_number() -> None:
    first = with_lease(EMPTY, HERE, "a", NOW)
    second = with_lease(without_lease(first), THERE, "b", NOW)
    assert (first.fence, second.fence, without_lease(second).fence) == (1, 2, 2)
    assert next_action(without_lease(second).lease, HERE, "c") is Action.TAKE


@pytest.mark.parametrize(
    ("base", "generations", "expected"),
    [
        (DESCRIPTION, (GENERATION,), True),
        (DESCRIPTION, ("20261127T000000Z-abcdef", "20261125T000000Z-abcdef"), True),  # not pushed yet
        ("1" * 64, (GENERATION,), True),  # pushed, and then the process died
        ("1" * 64, ("20261127T000000Z-abcdef",), False),
        ("1" * 64, ("20261127T000000Z-abcdef", GENERATION), False),  # rolled back by another machine
        ("", ("20261127T000000Z-abcdef", GENERATION), True),  # an index of an older version
        ("", (), False),
    ],
)
def test_an_index_continues_what_it_was_built_on(base: str, generations: tuple[str, ...], expected: bool) -> None:
    live = EMPTY.model_copy(update={"generation": GENERATION, "description": DESCRIPTION})
    assert is_built_on(live, base, generations) is expected
    assert is_built_on(EMPTY, base, generations)
