"""Each row of docs/notes/generators.md, on what the generator wrote (spec 8.2, 8.3)."""

import os
import re
import tarfile
from functools import cache
from pathlib import Path

import pytest
from site_rows import BUILDS, ROOT, SiteRow, site_rows

from searchsocket.content.html.extract import extract_html
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.project.settings.model import Settings
from searchsocket.sources import make_source
from searchsocket.sources.build_folder import find_build
from searchsocket.sources.generators import GENERATORS, used_generators

SITES = Path(os.environ.get("SEARCHSOCKET_SITES", ROOT.parent / "shared" / "sites"))
ROWS = site_rows()
OWN = [row for row in ROWS if (BUILDS / row.build).is_dir()]
SETTINGS = Settings(facets={"docusaurus_version": "string"})
TITLES = {"": "Harbour handbook", "install": "Install the tide clock", "ropes": "Ropes and knots"}
each_build = pytest.mark.parametrize("row", OWN, ids=lambda row: row.build)


def test_the_page_for_users_names_the_same_folders() -> None:
    table = (ROOT / "docs" / "sites.md").read_text(encoding="utf-8").partition("| generator |")[2].partition("\n\n")[0]
    cells = [[cell.strip(" `") for cell in line.strip("| ").split(" | ")] for line in table.splitlines()[2:]]
    assert [(config, folder) for _, config, folder in cells] == [(row.config, row.folder) for row in ROWS]


@cache
def pages(build: str) -> tuple[dict[str, ExtractedPage], frozenset[str]]:
    """Address -> page of what is indexed of a build, and the files that are not."""
    source = make_source(BUILDS / build, SETTINGS, None, scope="main")
    results, left_out = {}, set()
    for page in source.pages():
        extracted = extract_html(
            source.read(page), page, SETTINGS.extract, SETTINGS.transform, facets=dict(SETTINGS.facets)
        )
        if extracted.skip:
            left_out.add(page.locator)
        else:
            results[page.address or page.url] = extracted
    return results, frozenset(left_out | set(source.report.skipped))


def handbook(row: SiteRow) -> dict[str, ExtractedPage]:
    """The three pages in English, by their names."""
    result, _ = pages(row.build)
    urls = [url for url in result if not re.match(r"/(?:de|next)\b", url)]
    named = {name: next(url for url in urls if stem(url) == name) for name in ("install", "ropes")}
    return {"": result[urls[0]], **{name: result[url] for name, url in named.items()}}


def address(row: SiteRow) -> str:
    result, _ = pages(row.build)
    (url,) = (url for url, page in result.items() if page is handbook(row)["install"])
    return url


def stem(url: str) -> str:
    return url.rstrip("/").rsplit("/", 1)[-1].removesuffix(".html")


def lines(page: ExtractedPage) -> list[str]:
    """Return the lines of a page without anchors, link targets and code languages, which depend on the theme."""
    text = re.sub(r" \{#[^}]*\}|(?<=```)\w+|(?<=\])\([^)]*\)|(?<=\|) +", "", page.body)
    return [line.strip() for line in text.splitlines() if line.strip()]


@each_build
def test_the_generator_and_its_folder_are_found(row: SiteRow) -> None:
    build = find_build(BUILDS / row.build)
    assert (build.generator, build.folder, build.notes) == (row.generator, row.folder, ())
    assert (BUILDS / row.build / row.config).is_file()


@each_build
def test_every_generator_gives_the_same_text(row: SiteRow) -> None:
    """Nothing of the theme is left, and nothing of the page is lost."""
    for name in ("install", "ropes"):
        theirs, usual = (lines(handbook(item)[name]) for item in (row, OWN[0]))
        date = [line for line in theirs if re.fullmatch(r"\[\d{4}-\d\d-\d\d\]", line)]
        assert theirs == [*date, *usual]
        assert row.noise == ("the date of a post" if date else "none")


def test_the_usual_text_is_the_whole_page() -> None:
    usual = lines(handbook(OWN[0])["install"])
    assert usual[1] == "The tide clock runs on any machine with a serial port and 20 MB of disk."
    assert usual[-1] == "|3 |no barometer answered |"
    assert {"tideclock serve --port /dev/ttyS0", "## Exit codes", "|0 |the clock was stopped |"} < set(usual)


@each_build
def test_addresses_titles_content_and_language_are_as_the_table_says(row: SiteRow) -> None:
    assert (address(row), row.title) == (row.address, "own")
    for name, page in handbook(row).items():
        assert (page.title, page.main, page.language) == (TITLES[name], row.main, row.language)


@each_build
def test_files_that_are_no_pages_are_left_out(row: SiteRow) -> None:
    assert pages(row.build)[1] == set(row.left_out)


@each_build
def test_versions_are_told_as_the_table_says(row: SiteRow) -> None:
    result, _ = pages(row.build)
    for sign in row.versions:
        if sign.startswith("/"):
            assert any(url.startswith(sign) for url in result)
        else:
            assert {label.partition("=")[2] for page in result.values() for label in page.facets} == {"1.0", "current"}


def test_nobody_is_told_what_a_generator_writes_where_nothing_was_described() -> None:
    """MkDocs and VitePress state a description of their own, the same on every page."""
    for build in ("mkdocs", "vitepress"):
        assert {page.description for page in pages(build)[0].values()} == {""}


def test_the_documentation_of_this_project_is_as_its_row_says() -> None:
    (row,) = (row for row in ROWS if row.build == "examples/docs-site")
    build = find_build(ROOT / row.build)
    source = make_source(ROOT / row.build, SETTINGS, None, scope="main")
    (page,) = (page for page in source.pages() if (page.address or page.url) == row.address)
    page_content = extract_html(source.read(page), page, SETTINGS.extract, SETTINGS.transform)
    assert (build.generator, build.folder) == (row.generator, row.folder)
    assert (page_content.title, page_content.main, page_content.language) == ("Install", row.main, row.language)
    assert set(row.left_out) <= set(source.report.skipped)


@pytest.mark.sites
@pytest.mark.skipif(not SITES.is_dir(), reason=f"no real sites at {SITES}; set SEARCHSOCKET_SITES")
def test_a_book_of_mdbook_is_as_its_row_says() -> None:
    """The program itself is in none of the usual registries, but books are."""
    (row,) = (row for row in ROWS if row.generator == "mdBook")
    name = f"build/{row.folder}{row.address}"
    with tarfile.open(SITES / f"{row.build}.tar.xz", "r|xz") as packed:
        data = next(packed.extractfile(entry) for entry in packed if entry.name.endswith(name))
        assert data is not None
        page = RawPage(row.address, row.address, name, "")
        page_content = extract_html(data.read(), page, SETTINGS.extract, SETTINGS.transform)
    assert (page_content.title, page_content.main, page_content.language) == ("Appendix", row.main, row.language)
    assert page_content.body.startswith("# Appendix")
    assert "Previous chapter" not in page_content.body


def test_every_known_generator_has_a_row() -> None:
    assert {row.generator for row in ROWS} == {generator.name for generator in GENERATORS} | {"SvelteKit"}
    assert {path.name for path in BUILDS.iterdir()} == {row.build for row in OWN}
    for row in ROWS:
        if row not in OWN:
            (used,) = used_generators(lambda name, config=row.config: "" if name == config else None)  # type: ignore[misc]
            assert used.name == row.generator
            assert row.folder in used.folders
