"""Every case of the contract of stores fails on a store that finds nothing, everything, or what was yesterday."""

import inspect
from typing import Any

import pytest
from contract.broken_stores import EverythingStore, NothingStore, YesterdayStore
from contract.store.suite import StoreContract
from hypothesis import Phase, settings
from memory_store.store import MemoryStore

BROKEN = (NothingStore, YesterdayStore, EverythingStore)
CASES = [name for name, _ in inspect.getmembers(StoreContract, inspect.isfunction) if name.startswith("test_")]


def fails(name: str, kind: type[MemoryStore]) -> bool:
    """Return True if a case fails on a store of a kind."""
    contract = StoreContract()
    case = getattr(contract, name)
    try:
        case(store=kind("shop"), **parameters(case))
    except (Exception, pytest.fail.Exception):  # noqa: BLE001  how it fails is no matter
        return True
    return False


def parameters(case: Any) -> dict[str, Any]:
    """Return the first parameters of a case, beside the store."""
    for mark in getattr(case, "pytestmark", []):
        if mark.name == "parametrize":
            names = (
                mark.args[0] if isinstance(mark.args[0], (tuple, list)) else mark.args[0].replace(" ", "").split(",")
            )
            first = getattr(mark.args[1][0], "values", None) or mark.args[1][0]
            return dict(zip(names, first if len(names) > 1 else (first,), strict=True))
    return {}


@pytest.mark.parametrize("name", CASES)
def test_a_case_notices_a_store_that_breaks_its_promise(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case, own = getattr(StoreContract, name), "_hypothesis_internal_use_settings"
    if contract_value := getattr(case, own, None):  # the smallest example of the many is not looked for
        monkeypatch.setattr(case, own, settings(contract_value, phases=[Phase.generate], database=None))
    assert any(fails(name, kind) for kind in BROKEN)
