"""Sections of plain text, by titles that are underlined."""

from searchsocket.extensions.code.parsing.chunks import chunk_source, underlined_sections
from searchsocket.types import Lines

HISTORY = """\
==========
 Changes
==========

2.0 (2025)
----------

Added
~~~~~

- A lantern that burns longer than the one before it, and more of it to fill the line.

1.0 (2024)
----------

- The first lantern, which is of no use without oil, and this is said here at some length.
"""


def paths(text: str) -> list[tuple[int, int, str]]:
    results = []
    todo = list(underlined_sections(text.split("\n")))
    while todo:
        one = todo.pop(0)
        results.append((one.first, one.last, one.main.qualified))
        todo = [*one.members, *todo]
    return results


def test_a_section_has_those_of_lesser_titles_in_it() -> None:
    """As in reStructuredText: the order in which styles come up says which is which."""
    assert paths(HISTORY) == [
        (1, 17, "Changes"),
        (5, 12, "Changes.2.0 (2025)"),
        (8, 12, "Changes.2.0 (2025).Added"),
        (13, 17, "Changes.1.0 (2024)"),
    ]


def test_tables_transitions_and_short_rules_are_no_titles() -> None:
    table = "=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n"
    assert paths(f"{table}\nsome text\n\n----------\n\nmore text\n\nA long title\n---\n\n    x = 1\n    =====\n") == []


def test_a_note_of_a_version_is_found_with_its_version() -> None:
    """An entry of a changelog means little without its version."""
    filler = "- Something else that has been changed in this release and needs a line of its own.\n" * 30
    chunks = chunk_source("CHANGES.rst", HISTORY + filler, "text")
    places = [chunk.at for chunk in chunks if "lantern that burns" in chunk.body.text]
    assert [at.symbol for at in places if isinstance(at, Lines)] == ["Changes.2.0 (2025)"]
