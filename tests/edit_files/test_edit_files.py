"""The file to edit for a page: named only if the page agrees with it."""

from collections.abc import Mapping

import pytest

from searchsocket.content.edit_files import EditedPage, EditFiles

TEXT = "A bowline makes a loop that does not slip. Tie the bowline with the free end, and tighten the rope slowly."
OTHER = "Weather reports arrive hourly; barometers measure pressure while captains decide about their departure."
PAGE = f"# Ropes\n\n{TEXT}\n"


def file_of(files: Mapping[str, str], url: str, *, title: str = "Ropes", body: str = TEXT, link: str = "",
            version: str = "") -> str:  # fmt: skip
    return EditFiles(sorted(files), files.get).file_of(EditedPage(url, (title,), body, link, version))


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("docs/ropes.md", "/ropes"),
        ("docs/guide/ropes.mdx", "/docs/guide/ropes"),  # Docusaurus
        ("docs/02-guide/03-ropes.md", "/guide/ropes"),
        ("content/guide/ropes/_index.md", "/guide/ropes"),  # Hugo
        ("src/content/docs/guide/ropes.md", "/guide/ropes"),  # Starlight
        ("docs/ropes/README.md", "/ropes"),
        ("source/ropes.rst", "/en/latest/ropes.html"),
        ("modules/ROOT/pages/ropes.adoc", "/harbour/1.2/ropes.html"),
        ("_posts/2024-05-01-ropes.md", "/sailing/2024/05/01/ropes"),  # Jekyll
        ("blog/2024-05-01-knots.md", "/blog/2024/05/01/ropes-and-knots"),  # found by its title
    ],
)
def test_a_page_is_made_from_the_file_with_its_address_title_and_text(name: str, url: str) -> None:
    assert file_of({name: PAGE, "docs/weather.md": f"# Weather\n\n{OTHER}\n"}, url) == name


@pytest.mark.parametrize(
    "text",
    [
        f"---\ntitle: Ropes\n---\n{OTHER}",
        f"+++\ntitle = 'Ropes'\n+++\n{OTHER}",
        f"Ropes\n=====\n\n{OTHER}",
        f"= Ropes\n\n{OTHER}",
        f"---js\nconst a = 1;\n---\n# Ropes\n\n{OTHER}",
        f"<h1>Ropes</h1><p>{OTHER}</p>",
    ],
    ids=["YAML", "TOML", "reStructuredText", "AsciiDoc", "code", "HTML"],
)
def test_the_title_is_read_in_every_form(text: str) -> None:
    """With the address it is enough: most of the text of an API page is generated."""
    assert file_of({"docs/ropes.md": text}, "/ropes") == "docs/ropes.md"
    assert file_of({"docs/ropes.md": text.replace("Ropes", "Sails")}, "/ropes") == ""


def test_the_address_in_the_front_matter_counts() -> None:
    files = {"docs/a.md": f"---\nslug: /knots/ropes\n---\n{TEXT}", "docs/ropes.md": f"# Weather\n\n{OTHER}"}
    assert file_of(files, "/knots/ropes", title="Other") == "docs/a.md"


@pytest.mark.parametrize(
    ("url", "body", "expected"),
    [
        ("/de/ropes", OTHER, "docs/de/ropes.md"),
        ("/ropes", OTHER, "docs/de/ropes.md"),
        ("/ropes", TEXT, "docs/en/ropes.md"),
    ],
)
def test_the_text_decides_between_translations(url: str, body: str, expected: str) -> None:
    files = {"docs/en/ropes.md": PAGE, "docs/de/ropes.md": f"# Ropes\n\n{OTHER}"}
    assert file_of(files, url, body=body) == expected


def test_two_files_with_the_same_text_are_none() -> None:
    assert file_of({"docs/en/ropes.md": PAGE, "docs/de/ropes.md": PAGE}, "/ropes") == ""


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.0", "versioned_docs/version-1.0/ropes.md"), ("current", "docs/ropes.md"), ("2.0", ""), ("", "")],
)
def test_a_page_of_a_version_has_the_file_of_that_version(version: str, expected: str) -> None:
    files = {"docs/ropes.md": PAGE, "versioned_docs/version-1.0/ropes.md": PAGE}
    assert file_of(files, "/docs/ropes", version=version) == expected


@pytest.mark.parametrize(
    "directive", [".. include:: ../ROPES.md", "```{include} ../ROPES.md\n```", "{{#include ../ROPES.md}}"]
)
def test_a_file_that_includes_another_is_named_before_it(directive: str) -> None:
    files = {"ROPES.md": PAGE, "docs/ropes.rst": f"{directive}\n"}
    assert file_of(files, "/ropes") == "docs/ropes.rst"


@pytest.mark.parametrize(
    ("files", "url"),
    [
        ({"docs/ropes.md": f"# Weather\n\n{OTHER}"}, "/ropes"),  # only the name is the same
        ({"README.md": f"# Harbour\n\n{OTHER}"}, "/"),
        ({"docs/sails.md": f"# Sails\n\n{TEXT}"}, "/ropes"),  # only the text is
        ({"docs/sails.md": f"# Ropes\n\n{OTHER}"}, "/knots"),  # only the title is
        ({}, "/ropes"),
    ],
)
def test_a_file_that_does_not_agree_is_none(files: dict[str, str], url: str) -> None:
    assert file_of(files, url) == ""


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("main/docs/guide/knots.md", "docs/guide/knots.md"),
        ("feature/a/docs/guide/knots.md", "docs/guide/knots.md"),  # a branch with a slash
        ("main/website/../docs/guide/knots.md", "docs/guide/knots.md"),
        ("main/packages/site/docs/guide/knots.md", "docs/guide/knots.md"),  # of the repository above
        ("_sources/guide/knots.md", "docs/guide/knots.md"),  # Sphinx
        ("main/docs/guide/none.md", ""),  # a file that is not here
        ("main/docs/weather.md", ""),  # the page says something else
    ],
)
def test_an_edit_link_names_the_file_if_the_page_agrees(link: str, expected: str) -> None:
    files = {"docs/guide/knots.md": PAGE, "docs/weather.md": f"# Weather\n\n{OTHER}", "docs/ropes.md": "# Draft\n"}
    assert file_of(files, "/knots-and-ropes", link=link) == expected


def test_an_edit_link_against_address_and_text_names_none() -> None:
    files = {"docs/ropes.md": f"# Knots\n\n{TEXT}", "docs/template.md": "# Ropes\n\nbowline\n"}
    assert file_of(files, "/ropes", link="main/docs/template.md") == ""


def test_the_lines_of_a_file_are_those_of_its_blocks() -> None:
    files = {"docs/ropes.md": f"---\ntitle: Ropes\n---\n\n{TEXT}\n\n## Care\n\nDry it.\n", "ropes.html": "<p>"}
    edits = EditFiles(sorted(files), files.get)
    assert edits.lines_of("docs/ropes.md", f"{TEXT}\n\n## Care {{#care}}\n\nDry it.") == (5, 5, 7, 7, 9, 9)
    assert edits.lines_of("ropes.html", TEXT) == ()
