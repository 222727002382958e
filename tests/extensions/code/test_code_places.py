"""Places in source files, as commands print them."""

import click
import pytest

from searchsocket.extensions.code.cli.requests import file_line


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("src/a b.py", "src/a b.py:3"),
        ("BOSS血条.lua", "BOSS血条.lua:3"),
        ("two\nlines.py", "two⟨U+000A⟩lines.py:3"),
        ("red\x1b[31m.py", "red⟨U+001B⟩[31m.py:3"),
        ("right\u202eyp.py", "right⟨U+202E⟩yp.py:3"),
    ],
)
def test_a_place_is_one_line_and_names_its_file(name: str, expected: str) -> None:
    """A name may contain anything but a slash; without its hidden characters it would name another file."""
    assert click.unstyle(file_line(name, 3)) == expected
