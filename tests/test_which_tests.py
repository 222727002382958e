"""Names in the parts of the tests exist: a name without a match would silently skip tests."""

import pytest

from tests.conftest import TESTS
from tests.parts import LONG, SLOW, SMOKE, is_smoke, place_in


@pytest.mark.parametrize("path", [*LONG, *SLOW])
def test_a_path_exists(path: str) -> None:
    assert (TESTS / path).exists()


@pytest.mark.parametrize("test", SMOKE.values())
def test_a_smoke_case_is_of_a_slow_file(test: str) -> None:
    file, _, name = test.partition("::")
    defined = name.partition("::")[0]
    text = (TESTS / file).read_text(encoding="utf-8")
    assert f"\ndef {defined}(" in text or f"\nclass {defined}(" in text
    assert place_in(SLOW, file) is not None
    assert is_smoke(file, f"{name}[a]")
    assert not is_smoke(file, f"{name}_too")


def test_a_folder_means_all_of_it_and_no_neighbour() -> None:
    names = ("bench", "api/test_server.py")
    assert place_in(names, "bench/test_any.py") == 0
    assert place_in(names, "benches/test_any.py") is None
