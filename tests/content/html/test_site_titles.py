"""Titles that depend on all pages of the site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.content.html.site_wide import MIN_PAGES, HeadingCount, SiteTitles, common_headings, common_parts
from searchsocket.content.pages import ExtractedPage


@pytest.mark.parametrize(
    ("titles", "parts"),
    [
        (["Install | Acme", "Use | Acme", "Acme"], ("", " | Acme")),
        (["Acme - Install", "Acme - Use"], ("Acme - ", "")),
        (["Acme › Install", "Acme › Use"], ("Acme › ", "")),
        (["Acme :: Install", "Acme :: Use"], ("Acme :: ", "")),
        (["Acme: Install", "Acme: Use", "Acme: Use: more"], ("Acme: ", "")),
        (["A | Docs | Acme", "B | Docs | Acme", "C | Acme"], ("", " | Docs | Acme")),
        (["A | Docs | Acme", "B | Blog | Acme", "C | Acme"], ("", " | Acme")),
        (["Keel (Boats (version 2))", "Mast (Boats (version 2))"], ("", " (Boats (version 2))")),
        (["[Acme] Install", "[Acme] Use [beta]"], ("[Acme] ", "")),
        (["Run (fast)", "Run (slowly)"], ("", "")),
        (["Half | Acme", "Half | Other"], ("Half | ", "")),
        (["One | Acme", "Two"], ("", "")),
        (["Well-known", "Well-known"], ("", "")),
        ([], ("", "")),
    ],
)
def test_common_prefixes_and_suffixes_of_titles_belong_to_the_site(titles: list[str], parts: tuple[str, str]) -> None:
    assert common_parts(titles * MIN_PAGES) == parts


def test_a_part_of_few_titles_is_not_the_sites() -> None:
    """Two pages named `Half | Acme` and `Half | Other` are no site named Half."""
    assert common_parts([f"{page} | Acme" for page in range(MIN_PAGES - 1)]) == ("", "")


@pytest.mark.parametrize(
    ("own", "title"),
    [
        ("Recipes: Throttling | Docs | Acme", "Recipes: Throttling"),
        ("Home | Acme", "Home"),
        ("Plain", "Plain"),
        ("Acme: Install", "Acme: Install"),
        (" | Acme", " | Acme"),
    ],
)
def test_the_site_is_no_part_of_any_title(own: str, title: str) -> None:
    """Also if the title is not the h1: `og:title` and `<title>` of most generators end in the site's name."""
    page = ExtractedPage(title=own, body="", head_title=own)
    assert SiteTitles(frozenset(), "Acme: ", " | Docs | Acme").title_of(page) == title


def test_an_h1_names_no_page_where_many_have_it_and_their_titles_differ() -> None:
    """Copies of a page, in other languages or versions, share both and keep their name."""
    counts = [HeadingCount("Acme", 5, 5), HeadingCount("Few", 4, 4), HeadingCount("Copies", 8, 2)]
    assert common_headings(counts) == {"Acme"}


@pytest.mark.parametrize(
    ("heading", "head_title", "title"),
    [
        ("Acme", "Install | Acme", "Install"),
        ("Acme", "Plain", "Plain"),
        ("Acme", " | Acme", "Own"),  # nothing is left of it
        ("Unique", "Install | Acme", "Own"),
        ("", "Install | Acme", "Own"),
    ],
)
def test_a_page_is_called_by_its_title_where_its_h1_is_common(heading: str, head_title: str, title: str) -> None:
    page = ExtractedPage(title="Own", body="", heading=heading, head_title=head_title)
    assert SiteTitles(frozenset({"Acme"}), "", " | Acme").title_of(page) == title


@given(st.lists(st.lists(st.sampled_from(["A", "B", "C"]), min_size=1, max_size=3).map(" | ".join)))
def test_the_order_of_pages_is_no_part_of_it(titles: list[str]) -> None:
    """Else a cold run and an incremental one could call a page differently."""
    assert common_parts(titles) == common_parts(titles[::-1]) == common_parts(sorted(titles))


def test_two_colons_end_the_name_of_a_site() -> None:
    """One colon may be in the heading of the page."""
    page = ExtractedPage(title="Acme :: Install", body="")
    assert SiteTitles(frozenset(), "Acme :: ", "").title_of(page) == "Install"
