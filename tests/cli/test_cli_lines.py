"""Long lines on a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from searchsocket.cli.output import hanging


@given(st.lists(st.from_regex(r"[a-z/.]{1,30}", fullmatch=True), min_size=1), st.integers(40, 120))
def test_a_wrapped_line_stands_below_its_own_text(words: list[str], width: int) -> None:
    """No word is cut and none is lost, and what goes on does not look like a line of its own."""
    text = f"  {'skipped':<11} {' '.join(words)}"
    first, *more = hanging(text, width, 14).splitlines()
    assert all(len(line) <= max(width, 14 + 30) for line in (first, *more))
    assert all(line.startswith(" " * 14) and line[14] != " " for line in more)
    assert " ".join(line.strip() for line in (first, *more)).split() == text.split()
