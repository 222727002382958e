"""Links between pages and their words, in the index and the mirror; original failure 17."""

from pathlib import Path

import pytest

from searchsocket.content.mirror import parse_page
from tests.pipeline.conftest import Site

Counts = dict[str, tuple[int, int, tuple[str, ...]]]


@pytest.fixture
def empty(tmp_path: Path) -> Site:
    site = Site(tmp_path / "site")
    for page in sorted((site.root / "build").rglob("*.html")):
        page.unlink()
    return site


def write(site: Site, pages: dict[str, list[tuple[str, str]]]) -> None:
    """Pages with nothing but links: (target, text)."""
    for file, links in pages.items():
        site.write(file, file, "".join(f"<p>Go to <a href='{target}'>{text}</a>.</p>" for target, text in links))


def counts(site: Site) -> Counts:
    """Page -> (links in, links out, what others call it)."""
    pages = [parse_page(text) for text in site.mirror().values()]
    return {page.facts.url: (page.facts.incoming_links, page.outgoing_links, page.facts.link_texts) for page in pages}


def test_links_are_counted_once_a_page_and_never_to_oneself(empty: Site) -> None:
    """Self links, repeated links and dead ones inflated the counts; a redirect counts for its target."""
    write(
        empty,
        {
            "index.html": [("/docs", "The docs"), ("/docs/", "The docs"), ("/docs.html", "Docs!"), ("/", "Us")],
            "docs.html": [("/", "Start"), ("/docs#a", "x"), ("/dead", "Dead"), ("/old", "Old")],
            "docs/a.html": [("/docs", "the docs"), ("/old", "Manual")],
        },
    )
    (empty.root / "build/old.html").write_text("<meta http-equiv=refresh content='0; url=/docs'>")
    empty.index()
    assert counts(empty) == {
        "/": (1, 1, ("Start",)),
        "/docs": (2, 1, ("The docs", "Docs!", "Manual")),
        "/docs/a": (0, 1, ()),
    }
    assert {record.page.url: record.page.incoming_links for record in empty.records()} == {
        "/": 1,
        "/docs": 2,
        "/docs/a": 0,
    }


@pytest.mark.parametrize("then", ["a page", "another redirect", "gone"])
def test_links_to_a_page_that_was_a_redirect_are_looked_up_again(empty: Site, then: str) -> None:
    """However they are written, and through whatever redirects: they went on to count for where it had led."""
    write(empty, {"a.html": [("/old", "Plain"), ("/old.html", "With a name"), ("/older", "Twice")]})
    write(empty, {"x.html": [], "y.html": []})
    for name, target in (("old", "/x"), ("older", "/old.html")):
        (empty.root / f"build/{name}.html").write_text(f"<meta http-equiv=refresh content='0; url={target}'>")
    empty.index()
    assert counts(empty)["/x"] == (1, 0, ("Plain", "Twice", "With a name"))
    if then == "a page":
        write(empty, {"old.html": []})
    elif then == "another redirect":
        (empty.root / "build/old.html").write_text("<meta http-equiv=refresh content='0; url=/y'>")
    else:
        empty.delete("old.html")
    empty.index()
    link_counts = counts(empty)
    assert link_counts["/x"] == (0, 0, ())
    empty.index("afresh")
    assert link_counts == {
        page.facts.url: (page.facts.incoming_links, page.outgoing_links, page.facts.link_texts)
        for page in map(parse_page, empty.mirror("afresh").values())
    }


def test_a_text_repeated_on_one_page_counts_once(empty: Site) -> None:
    """A menu that is there twice would outvote every sentence."""
    pages = {"a.html": [("/x", "menu entry"), ("/x.html", "menu entry")] * 5, "x.html": []}
    write(empty, pages | {name: [("/x", "proper")] for name in ("b.html", "c.html")})
    empty.index()
    assert counts(empty)["/x"] == (3, 0, ("proper", "menu entry"))


def test_counts_follow_pages_and_links_that_come_and_go(empty: Site) -> None:
    """Counts after many small runs equal those of one run over the same site."""
    write(empty, {"a.html": [("/x", "X marks")], "b.html": [("/y", "Y not"), ("/x", "X marks")], "y.html": []})
    empty.index()
    assert counts(empty)["/b"][1] == 1
    write(empty, {"x.html": [("/a", "Back to A")]})
    empty.index()
    assert counts(empty) == {
        "/a": (1, 1, ("Back to A",)),
        "/b": (0, 2, ()),
        "/x": (2, 1, ("X marks",)),
        "/y": (1, 0, ("Y not",)),
    }
    write(empty, {"a.html": [], "b.html": [("/x", "The letter")]})
    empty.delete("y.html")
    empty.index()
    assert counts(empty) == {"/a": (1, 0, ("Back to A",)), "/b": (0, 1, ()), "/x": (1, 1, ("The letter",))}
