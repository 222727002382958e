"""Once a page marks its content with `data-pagefind-body`, pages without the mark are left out, as in Pagefind."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchsocket.content.mirror import parse_page
from searchsocket.errors import LargeDeletion
from tests.pipeline.conftest import Site
from tests.pipeline.test_titles_of_a_site import bare, undated

NAMES = ("keel", "mast", "boom", "stern", "bow", "deck", "helm")
REASON = "no data-pagefind-body, which other pages have"


def write(site: Site, name: str, *, marked: bool) -> None:
    mark = " data-pagefind-body" if marked else ""
    (site.root / "build" / f"{name}.html").write_text(
        f"<title>{name}</title><body><p>Menu</p><main{mark}><h1>{name}</h1><p>The {name} needs paint.</p></main>"
    )


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = bare(tmp_path / "site")
    for name in NAMES:
        write(site, name, marked=False)
    return site


def pages(*names: str) -> set[str]:
    return {f"/{name}" for name in names}


def test_pages_without_the_mark_are_left_out_and_counted(site: Site) -> None:
    for name in NAMES[:5]:
        write(site, name, marked=True)
    summary = site.index()
    assert site.urls() == pages(*NAMES[:5])
    assert summary.skip_reasons == {REASON: 2}
    assert {(page.page, page.reason) for page in summary.skipped} == {("/deck", REASON), ("/helm", REASON)}


def test_a_mark_that_would_remove_most_pages_is_confirmed_first(site: Site) -> None:
    """As with any other reason: a single mark is more often a mistake."""
    site.index()
    write(site, "keel", marked=True)
    with pytest.raises(LargeDeletion):
        site.index()
    assert site.urls() == pages(*NAMES)


def test_without_a_mark_all_pages_are_in(site: Site) -> None:
    assert site.index().skip_reasons == {}
    assert site.urls() == pages(*NAMES)


def test_all_pages_come_back_when_the_only_mark_goes(site: Site) -> None:
    """Pages are left out, or come back, although they did not change themselves."""
    write(site, "keel", marked=True)
    site.index()
    assert site.urls() == pages("keel")
    write(site, "keel", marked=False)
    site.index()
    assert site.urls() == pages(*NAMES)
    write(site, "keel", marked=True)
    site.index(accept_large_deletion=True)
    assert site.urls() == pages("keel")
    (site.root / "build" / "keel.html").unlink()
    site.index(accept_large_deletion=True)
    assert site.urls() == pages(*NAMES[1:])


@settings(max_examples=5, deadline=None)
@given(edits=st.lists(st.lists(st.tuples(st.sampled_from(NAMES), st.booleans()), max_size=4), min_size=1, max_size=3))
def test_many_small_runs_and_one_end_with_the_same_mirror(
    tmp_path_factory: pytest.TempPathFactory, edits: list[list[tuple[str, bool]]]
) -> None:
    folder = tmp_path_factory.mktemp("marked")
    small, cold = bare(folder / "a" / "site"), bare(folder / "b" / "site")
    for name in NAMES:
        write(small, name, marked=False)
    small.index()
    for batch in edits:
        for name, marked in batch:
            write(small, name, marked=marked)
        small.index(accept_large_deletion=True)
    for page in (small.root / "build").glob("*.html"):
        (cold.root / "build" / page.name).write_bytes(page.read_bytes())
    cold.index()
    assert undated(small) == undated(cold)


def test_a_mark_inside_main_is_the_content(site: Site) -> None:
    page = site.root / "build" / "keel.html"
    page.write_text("<body><main><p>Menu</p><div data-pagefind-body><h1>Keel</h1><p>Paint.</p></div></main>")
    site.index()
    assert [parse_page(text).body for text in site.mirror().values()] == ["# Keel\n\nPaint."]


def test_a_configured_selector_decides_alone(tmp_path: Path) -> None:
    site = bare(tmp_path / "site")
    write(site, "keel", marked=True)
    write(site, "mast", marked=False)
    (site.root / "searchsocket.toml").write_text('[extract]\nmain_selector = "body"\n')
    site.index()
    assert site.urls() == pages("keel", "mast")
