"""Messages of `searchsocket serve` about failures while it answers."""

import pytest

from searchsocket.cli.service_log import trouble_line
from searchsocket.errors import IndexCorrupt, ScopeNotIndexed


def raised(error: Exception) -> Exception:
    with pytest.raises(type(error)) as caught:
        raise error
    return caught.value


def test_a_known_error_has_its_public_code() -> None:
    line = "error [INDEX_CORRUPT]: vectors.f32 is short"
    assert trouble_line(IndexCorrupt("vectors.f32 is short")).replace("\x1b[0m", "").endswith(line.partition("]")[2])
    assert "INDEX_CORRUPT" in trouble_line(IndexCorrupt("x"))
    assert "waiting for the first index" in trouble_line(ScopeNotIndexed("main"))


def test_errors_of_the_system_have_the_usual_form() -> None:
    assert "[STATE_UNAVAILABLE]" in trouble_line(OSError(5, "Input/output error", "/dev/harbour"))


@pytest.mark.parametrize("error", [KeyError("tide"), RuntimeError(), ValueError("\x1b[2J")], ids=repr)
def test_a_defect_says_where_it_is_and_no_class_name(error: Exception) -> None:
    line = trouble_line(raised(error))
    assert "[INTERNAL_ERROR]" in line
    assert "test_cli_serve_words.py:" in line
    assert type(error).__name__ not in line
    assert "\x1b[2J" not in line
