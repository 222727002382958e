"""Arrays are read whatever another thread parses meanwhile."""

import io
from typing import Any

import numpy as np
import pytest

from searchsocket.system.arrays import load_arrays


def stored(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def test_arrays_come_back_as_they_were() -> None:
    loaded = load_arrays(stored(one=np.arange(3), two=np.array([b"x"])))
    assert {name: array.tolist() for name, array in loaded.items()} == {"one": [0, 1, 2], "two": [b"x"]}


def test_a_parser_that_is_confused_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    load, failures = np.load, iter([SystemError("AST constructor recursion depth mismatch")] * 2)

    def confused(*arguments: Any, **options: Any) -> Any:
        for failure in failures:
            raise failure
        return load(*arguments, **options)

    monkeypatch.setattr(np, "load", confused)
    assert load_arrays(stored(one=np.arange(3)))["one"].tolist() == [0, 1, 2]


def test_damage_and_objects_are_refused() -> None:
    data = stored(one=np.arange(300))
    for bad in (b"", data[: len(data) // 2], stored(one=np.array([object()], dtype=object))):
        with pytest.raises(ValueError):
            load_arrays(bad)
