"""The lines of a chunk that a result shows."""

import pytest

from searchsocket.extensions.code.search.results import numbered_lines, preview

HEAD = [f"def load_{n}():" for n in range(5)]
LONG = [*HEAD, *["    pass"] * 30, "    lantern = 1", *["    pass"] * 10]


def test_lines_that_say_the_query_are_shown_below_the_beginning() -> None:
    """An agent need not fetch what answers it; the signature stays."""
    lines = preview("\n".join(LONG), "where is the lantern").split("\n")
    assert lines[:6] == [*HEAD, "⋮ 24 lines"]
    assert "    lantern = 1" in lines


@pytest.mark.parametrize("q", ["", "the", "zebra", "load_1"])
def test_the_beginning_is_shown_where_nothing_says_more(q: str) -> None:
    assert preview("\n".join(LONG), q).split("\n") == LONG[:12]


def test_a_short_chunk_is_shown_whole() -> None:
    assert preview("a\nb\nlantern", "lantern") == "a\nb\nlantern"


@pytest.mark.parametrize("q", ["lantern", ""])
def test_shown_lines_have_the_numbers_of_the_file(q: str) -> None:
    """Those that are left out are counted: an editor opens the right line."""
    numbered = list(numbered_lines(preview("\n".join(LONG), q), 1))
    assert len(numbered) == 12
    assert all(LONG[number - 1] == line for number, line in numbered)


def test_lines_without_a_signature_are_not_shown_for_their_beginning() -> None:
    """Imports tell nothing: of a block the lines that say the query are shown alone."""
    lines = preview("\n".join(LONG), "where is the lantern", has_signature=False).split("\n")
    assert lines[0].startswith("⋮ ")
    assert "    lantern = 1" in lines
    assert not set(HEAD) & set(lines)
