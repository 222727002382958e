"""Every case of the contract of vectors fails on an index that finds nothing, everything, or what was yesterday."""

import inspect
from typing import Any

import pytest
from contract.mutants import EverythingVectors, NothingVectors, YesterdayVectors
from memory_store.vectors import MemoryPlace, MemoryVectors

from searchsocket.testing.vector_index import VectorIndexContract, VectorUpkeepContract

CASES = [
    pytest.param(contract, name, id=name)
    for contract in (VectorIndexContract, VectorUpkeepContract)
    for name, _ in inspect.getmembers(contract, inspect.isfunction)
    if name.startswith("test_")
]


def notices(contract: type, name: str, kind: type[MemoryVectors]) -> bool:
    """Return True if a case fails, in any way, on an index of a kind."""
    place, case = MemoryPlace(), getattr(contract(), name)
    fixtures: dict[str, Any] = {"index": kind(place), "index_of": lambda project_id: kind(place, project_id)}
    try:
        case(**{expected: fixtures[expected] for expected in inspect.signature(case).parameters})
    except Exception:  # noqa: BLE001  how it fails is no matter
        return True
    return False


@pytest.mark.parametrize(("contract", "name"), CASES)
def test_a_case_notices_an_index_that_breaks_its_promise(contract: type, name: str) -> None:
    assert not notices(contract, name, MemoryVectors)
    assert any(notices(contract, name, kind) for kind in (NothingVectors, EverythingVectors, YesterdayVectors))
