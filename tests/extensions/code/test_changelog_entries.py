"""Questions about versions are answered by the entry of a changelog, below the heading of its version."""

from pathlib import Path

import pytest

from searchsocket.extensions.code.search.answer import CodeQuery
from searchsocket.extensions.code.search.changelog import (
    best_entry,
    change_terms,
    is_about_versions,
    is_history,
    version_of,
)
from searchsocket.extensions.code.serving.service import open_code
from tests.extensions.code.code_project import CodeProject
from tests.extensions.code.trees import grow

NOTES = """# Changelog

## [2.1.0](https://example.org/2.1.0) - 2024-05-06

- The lantern can be dimmed, which
  the keeper asked for.

- Foghorns are louder.

Version 2.0
-----------

* Added a shutter to the lantern.
"""
LINES = NOTES.split("\n")


@pytest.mark.parametrize(
    ("question", "entry", "version"),
    [
        ("Which version made the lantern dimmed?", "which the keeper asked for", "2.1.0 - 2024-05-06"),
        ("Since when are foghorns louder?", "Foghorns", "2.1.0 - 2024-05-06"),
        ("Which release added a shutter?", "shutter", "Version 2.0"),
    ],
)
def test_the_entry_that_says_what_changed_is_chosen(question: str, entry: str, version: str) -> None:
    """Words that every entry could have, such as "added", do not count; an entry has all of its lines."""
    assert is_about_versions(question)
    best = best_entry(NOTES, change_terms(question, {}))
    assert best.share >= 0.5
    assert entry in " ".join(" ".join(LINES[best.first : best.last + 1]).split())
    assert version_of(LINES, best.first) == version


def test_a_question_about_something_else_has_no_entry() -> None:
    assert best_entry(NOTES, change_terms("Which version added anchors and chains?", {})).share < 0.5


def test_lines_above_every_version_belong_to_none() -> None:
    assert version_of(LINES, 1) == ""


@pytest.mark.parametrize(
    ("path", "is_one"), [("CHANGES.rst", True), ("docs/source/history.rst", True), ("a.py", False)]
)
def test_files_that_list_changes_are_known_by_name(path: str, is_one: bool) -> None:
    assert is_history(path) is is_one


def test_a_changelog_comes_before_code_that_says_the_words_more_often(tmp_path: Path) -> None:
    """The first answer names the version, and shows the entry alone."""
    code = CodeProject(tmp_path / "site")
    dimmed = "def dim_lantern(lantern):\n    # the dimmed lantern of a lantern\n    return lantern.dimmed\n"
    grow(code.root, {"CHANGELOG.md": NOTES, "src/lantern.py": dimmed})
    code.index()
    query = CodeQuery("Which version made the lantern dimmed?")
    best = open_code(code.project, {}).search(query, "main").results[0]
    assert (best.file, best.lines, best.symbol) == ("CHANGELOG.md", "5-6", "2.1.0 - 2024-05-06")
    assert best.preview.split("\n") == LINES[4:6]
