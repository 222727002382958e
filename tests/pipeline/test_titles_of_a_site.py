"""An h1 that many pages have names none of them, whichever way the site came to be what it is."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchsocket.content.mirror import parse_page
from tests.pipeline.conftest import Site

DATED = re.compile(r"generatedAt: .*\n")
NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")


def bare(root: Path) -> Site:
    site = Site(root)
    for page in sorted((site.root / "build").rglob("*.html")):
        page.unlink()
    return site


@pytest.fixture
def acme(tmp_path: Path) -> Site:
    """Six pages whose h1 is the product, and its home."""
    site = bare(tmp_path / "site")
    write(site, "index", "Acme", "Acme | Made to last")
    for name in NAMES:
        write(site, name, "Acme", f"The {name} part | Acme")
    return site


def write(site: Site, name: str, h1: str, title: str) -> None:
    (site.root / "build" / f"{name}.html").write_text(
        f"<html><head><title>{title}</title></head><body><main><h1>{h1}</h1><p>About {name}.</p></main></body></html>"
    )


def titles(site: Site) -> dict[str, str]:
    return {page.facts.url: page.facts.title for page in map(parse_page, site.mirror().values())}


def undated(site: Site) -> dict[str, str]:
    return {name: DATED.sub("", text) for name, text in site.mirror().items()}


def test_a_page_is_called_by_its_title_where_every_h1_is_the_product(acme: Site) -> None:
    acme.index()
    assert titles(acme) == {"/": "Acme"} | {f"/{name}": f"The {name} part" for name in NAMES}
    assert {record.page.title for record in acme.records()} == set(titles(acme).values())


def test_first_sections_that_share_a_number_are_no_names(acme: Site) -> None:
    for name in NAMES:
        write(acme, name, "1. Overview", f"The {name} part | Acme")
    acme.index()
    assert titles(acme) == {"/": "Acme"} | {f"/{name}": f"The {name} part" for name in NAMES}


def test_an_edit_elsewhere_rewrites_pages_only_where_their_title_changes(acme: Site) -> None:
    """The h1 is common no more where a second page has its own; an edit before that is its page's own affair."""
    acme.index()
    before = acme.mirror()
    write(acme, "alpha", "All of alpha", "The alpha part | Acme")
    acme.index()
    changed = {name for name, text in acme.mirror().items() if text != before[name]}
    assert changed == {"alpha.md"}
    assert titles(acme)["/alpha"] == "All of alpha"
    write(acme, "beta", "All of beta", "The beta part | Acme")
    acme.index()
    assert titles(acme)["/gamma"] == titles(acme)["/zeta"] == "Acme"
    unchanged = acme.mirror()
    acme.index()
    assert acme.mirror() == unchanged
    write(acme, "beta", "Acme", "The beta part | Acme")
    acme.index()
    assert titles(acme)["/gamma"] == "The gamma part"


EDITS = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(["Acme", "Own", None]),
        st.sampled_from(["Part {} | Acme", "{} - Acme", "Same"]),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=6, deadline=None)
@given(edits=st.lists(EDITS, min_size=1, max_size=3))
def test_many_small_runs_and_one_end_with_the_same_mirror(
    tmp_path_factory: pytest.TempPathFactory, edits: list[list[tuple[str, str | None, str]]]
) -> None:
    folder = tmp_path_factory.mktemp("titles")
    small, cold = bare(folder / "a" / "site"), bare(folder / "b" / "site")
    write(small, "index", "Acme", "Acme | Made to last")
    for name in NAMES:
        write(small, name, "Acme", f"The {name} part | Acme")
    small.index()
    for batch in edits:
        for name, h1, title in batch:
            if h1 is None:
                (small.root / "build" / f"{name}.html").unlink(missing_ok=True)
            else:
                write(small, name, h1, title.format(name))
        small.index(accept_large_deletion=True)
    for page in (small.root / "build").glob("*.html"):
        (cold.root / "build" / page.name).write_bytes(page.read_bytes())
    cold.index()
    assert undated(small) == undated(cold)
