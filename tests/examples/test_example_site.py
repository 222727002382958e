"""The bundled example as it was last built (`site.tar.xz`): its pages are whole, its golden queries point at real places."""

import json
import subprocess
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from bs4 import BeautifulSoup

from examples.site_archive import ARCHIVE, BUILD, SITE
from searchsocket.quality.golden import read_golden

GOLDEN = SITE / "golden-queries.tsv"
MAX_BYTES = 2_100_000

Soup = BeautifulSoup
FILES = sorted(BUILD.rglob("*.html"))


def parse(path: Path) -> Soup:
    return BeautifulSoup(path.read_bytes(), "lxml")


@pytest.fixture(scope="module")
def soups() -> dict[str, Soup]:
    """URL path -> parsed page, for every HTML file of the build."""
    return {url_of(path): parse(path) for path in FILES}


def url_of(path: Path) -> str:
    relative = path.relative_to(BUILD).as_posix().removesuffix(".html")
    return "/" if relative == "index" else f"/{relative}"


def is_redirect(soup: Soup) -> bool:
    return soup.find("meta", attrs={"http-equiv": "refresh"}) is not None


def test_every_page_has_one_title_one_heading_and_one_main(soups: dict[str, Soup]) -> None:
    """Titles and headings are what results show."""
    pages = {url: soup for url, soup in soups.items() if not is_redirect(soup)}
    assert len(pages) >= 60
    for url, soup in pages.items():
        counts = [len(soup.find_all(name)) for name in ("title", "h1", "main")]
        assert counts == [1, 1, 1], url
        assert soup.h1 is not None, url
        assert soup.h1.get_text(strip=True), url


def test_titles_and_descriptions_are_unique(soups: dict[str, Soup]) -> None:
    for find in (
        lambda soup: soup.title.get_text(),
        lambda soup: soup.find("meta", attrs={"name": "description"})["content"],
    ):
        descriptions = [find(soup) for url, soup in soups.items() if not is_redirect(soup) and url != "/404"]
        assert len(descriptions) == len(set(descriptions))


def test_internal_links_and_their_anchors_resolve(soups: dict[str, Soup]) -> None:
    ids = {url: {tag["id"] for tag in soup.find_all(id=True)} for url, soup in soups.items()}
    for url, soup in soups.items():
        for anchor in soup.find_all("a", href=True):
            target, fragment = urldefrag(urljoin(url, str(anchor["href"])))
            if "://" in target:
                continue
            assert target in ids, f"{url} links to {target}, which is no page"
            assert not fragment or unquote(fragment) in ids[target], f"{url} links to {target}#{fragment}"


def test_images_exist_and_say_what_they_show(soups: dict[str, Soup]) -> None:
    for url, soup in soups.items():
        for image in soup.select("main img"):
            assert (BUILD / str(image["src"]).lstrip("/")).is_file(), url
            assert len(str(image["alt"])) > 20, url


def test_every_way_to_write_a_route_is_used() -> None:
    """The example exercises route mapping (spec 16.4)."""
    routes = {path.relative_to(SITE / "src/routes").as_posix() for path in (SITE / "src/routes").rglob("+page*")}
    for form in (
        "(docs)/",
        "/[slug]/",
        "[...rest]/",
        "[[lang=lang]]/",
        "[command=command]/",
        "+page@.svelte",
        "+page.md",
    ):
        assert any(form in route for route in routes), form
    assert {path.name for path in (SITE / "src/params").iterdir()} == {"lang.ts", "command.ts"}


def test_code_is_shown_in_many_languages(soups: dict[str, Soup]) -> None:
    languages = {name for soup in soups.values() for pre in soup.select("pre[class]") for name in pre["class"]}
    expected = {"bash", "toml", "python", "ts", "svelte", "json", "html", "yaml", "markdown", "text"}
    assert {f"language-{name}" for name in expected} <= languages


def test_the_build_is_small_and_not_in_git() -> None:
    """A change of a page is read as a change of that page alone."""
    export = BUILD / "searchsocket"  # the demo adds it
    pages = (path for path in BUILD.rglob("*") if path.is_file() and export not in path.parents)
    assert sum(path.stat().st_size for path in pages) < MAX_BYTES
    assert ARCHIVE.stat().st_size < MAX_BYTES / 10
    if not (SITE.parent.parent / ".git").exists():
        pytest.skip("not a git checkout")
    tracked = subprocess.run(["git", "ls-files", "build"], cwd=SITE, capture_output=True, text=True, check=True).stdout
    assert tracked == ""


def test_the_lock_names_no_registry() -> None:
    """Locks with hosts break where another registry is used."""
    lock = json.loads((SITE / "package-lock.json").read_text(encoding="utf-8"))
    assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]
    assert all("integrity" in entry for name, entry in lock["packages"].items() if name)


def test_golden_queries_point_at_pages_and_sections_that_exist(soups: dict[str, Soup]) -> None:
    for golden in read_golden(GOLDEN):
        assert bool(golden.expect) is (golden.tags != ("nonsense",)), golden
        for target in golden.expect:
            url, anchor = urldefrag(target)
            assert url in soups, golden
            assert not anchor or soups[url].find(id=anchor), golden


def test_identifiers_of_golden_queries_stand_in_their_section(soups: dict[str, Soup]) -> None:
    """An exact identifier can be found only where it is written."""
    for golden in read_golden(GOLDEN):
        if golden.tags == ("identifier",):
            for target in golden.expect:
                url, anchor = urldefrag(target)
                assert golden.query in section_text(soups[url], anchor), (golden, target)


def section_text(soup: Soup, anchor: str) -> str:
    """Text of the section under a heading, up to the next heading; all of `main` without an anchor."""
    assert soup.main is not None
    if not anchor:
        return soup.main.get_text()
    heading = soup.find(id=anchor)
    assert heading is not None
    parts = [heading.get_text()]
    for sibling in heading.next_siblings:
        if getattr(sibling, "name", None) in ("h1", "h2", "h3", "h4"):
            break
        parts.append(sibling.get_text())
    return " ".join(parts)


def test_nonsense_words_are_nowhere_on_the_site(soups: dict[str, Soup]) -> None:
    words = {word for golden in read_golden(GOLDEN) if golden.answers_nothing for word in golden.query.split()}
    assert words
    text = " ".join(soup.get_text() for soup in soups.values()).lower()
    assert not [word for word in words if word in text]


def test_golden_queries_cover_each_kind() -> None:
    kinds = [kind for golden in read_golden(GOLDEN) for kind in golden.tags]
    for kind, least in {"plain": 25, "paraphrase": 10, "identifier": 20, "title": 5, "nonsense": 10}.items():
        assert kinds.count(kind) >= least, kind
