"""Line numbers of passages in the mirror and in content files, correct after every run (spec 9.2)."""

import re
from pathlib import Path

import pytest

from searchsocket.content.mirror import mirror_name
from searchsocket.search.quoting.lines import mirror_of, source_of
from searchsocket.search.wire import FileLines
from searchsocket.types import Record
from tests.pipeline.conftest import Site
from tests.pipeline.test_sources_end_to_end import git

TIDES = (
    "---\ntitle: Tides\n---\n\n# Tides\n\n"
    + "Opening words of the page. " * 20
    + "\n\n## High water\n\n"
    + "It comes. " * 60
)


@pytest.fixture
def content(site: Site) -> Path:
    """A project of content files below a folder of its own; its one page."""
    (site.root / "searchsocket.toml").write_text(
        "[source]\nmode = 'content-files'\n[source.content_files]\nbase_dir = 'site'\nglobs = ['content/**/*.md']\n"
    )
    page = site.root / "site/content/tides.md"
    page.parent.mkdir(parents=True)
    page.write_text(TIDES)
    return page


def high_water(site: Site) -> Record:
    (chunk,) = (
        record for record in site.records() if record.chunk.at.title == "High water" and record.chunk.kind == "section"
    )
    return chunk


def stretch(text: str, lines: FileLines) -> str:
    assert lines.first_line
    assert lines.last_line
    return "\n".join(text.split("\n")[lines.first_line - 1 : lines.last_line])


def letters(text: str) -> str:
    return re.sub(r"\W+", "", text)


def check(site: Site) -> None:
    """The lines of all records, in the files as they are now."""
    mirror = site.mirror()
    for record in site.records():
        source, at = source_of(record), mirror_of(record)
        assert at.file == mirror_name(record.page.url)
        if record.chunk.kind == "summary":
            assert (at.first_line, source.first_line) == (None, None)
            continue
        assert letters(record.chunk.body.text) in letters(stretch(mirror[at.file], at))
        if source.file:
            text = (site.root / source.file).read_text()
            assert letters(record.chunk.body.text.replace("{#high-water}", "").replace("{#tides}", "")) in letters(
                stretch(text, source)
            )


def test_a_built_page_has_lines_in_the_mirror_alone(site: Site) -> None:
    site.index()
    check(site)
    assert {source_of(record) for record in site.records()} == {FileLines(None, None, None)}


def test_a_content_file_is_named_from_the_project_with_its_lines(site: Site, content: Path) -> None:
    site.index()
    check(site)
    assert source_of(high_water(site)) == FileLines("site/content/tides.md", 9, 11)


@pytest.mark.parametrize("above", ["tags: [sea]\n", "unread: by the index\n", "draft: false\nlang: en\n"])
def test_lines_follow_the_front_matter_and_nothing_is_embedded(site: Site, content: Path, above: str) -> None:
    """Also where the page says what it said, so that only its lines moved."""
    site.index()
    content.write_text(TIDES.replace("title", above + "title"))
    assert site.index().embeddings["created"] == 0
    check(site)
    assert source_of(high_water(site)).first_line == 9 + above.count("\n")


@pytest.mark.parametrize("paragraph", ["Opening words of the page.", "A new paragraph."])
def test_lines_follow_a_paragraph_that_is_inserted_above(site: Site, content: Path, paragraph: str) -> None:
    """Its own section is written and the one below; key phrases, which may be others now, are no part of records."""
    site.index()
    content.write_text(TIDES.replace("# Tides\n", f"# Tides\n\n{paragraph}\n", 1))
    summary = site.index()
    assert (summary.embeddings["created"], summary.records["upserted"]) == (1, 2)
    check(site)
    assert source_of(high_water(site)).first_line == 11


def test_a_file_that_moved_is_named_where_it_is(site: Site, content: Path) -> None:
    site.index()
    moved = site.root / "site/content/tides.markdown"
    content.rename(moved)
    config = site.root / "searchsocket.toml"
    config.write_text(config.read_text().replace("*.md", "*.markdown"))
    assert site.index().embeddings["created"] == 0
    assert source_of(high_water(site)).file == "site/content/tides.markdown"


def test_a_branch_gives_the_lines_of_its_own_files(site: Site) -> None:
    git(site.root, "init", "-q")
    page = site.root / "src/routes/tides/+page.md"
    page.parent.mkdir(parents=True)
    page.write_text(TIDES)
    git(site.root, "add", "src")
    git(site.root, "commit", "-qm", "tides")
    page.write_text("Something else.\n")
    site.index(source="git-branch")
    assert source_of(high_water(site)) == FileLines("src/routes/tides/+page.md", 9, 11)
