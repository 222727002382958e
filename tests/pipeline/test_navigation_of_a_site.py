"""A list of links that nearly all pages have is navigation, whichever way the site came to be what it is."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchsocket.content.html.site_wide import common_links, without_navigation
from searchsocket.content.mirror import parse_page
from tests.pipeline.conftest import Site
from tests.pipeline.test_titles_of_a_site import bare, undated

NAMES = ("keel", "mast", "boom", "stern", "bow", "deck", "helm")


def write(site: Site, name: str, *, listed: bool = True) -> None:
    """A page with its navigation in the main content; the page itself is no link there."""
    items = (f"<a href='{other}.html'>On {other}</a>" if other != name else f"On {other}" for other in NAMES)
    menu = f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" if listed else ""
    (site.root / "build" / f"{name}.html").write_text(
        f"<title>{name} | Boats</title><body><div id=content>{menu}<h1>{name}</h1><p>The {name} needs paint.</p></div>"
    )


def bodies(site: Site) -> dict[str, str]:
    return {page.facts.url: page.body for page in map(parse_page, site.mirror().values())}


def test_the_list_of_all_pages_is_in_no_page(tmp_path: Path) -> None:
    """Also if one of its lines is no link, since a page does not link to itself."""
    site = bare(tmp_path / "site")
    for name in NAMES:
        write(site, name)
    site.index()
    assert bodies(site) == {f"/{name}": f"# {name}\n\nThe {name} needs paint." for name in NAMES}


@settings(max_examples=5, deadline=None)
@given(edits=st.lists(st.lists(st.tuples(st.sampled_from(NAMES), st.booleans()), max_size=4), min_size=1, max_size=3))
def test_many_small_runs_and_one_end_with_the_same_mirror(
    tmp_path_factory: pytest.TempPathFactory, edits: list[list[tuple[str, bool]]]
) -> None:
    folder = tmp_path_factory.mktemp("navigation")
    small, cold = bare(folder / "a" / "site"), bare(folder / "b" / "site")
    for name in NAMES:
        write(small, name)
    small.index()
    for batch in edits:
        for name, listed in batch:
            write(small, name, listed=listed)
        small.index()
    for page in (small.root / "build").glob("*.html"):
        (cold.root / "build" / page.name).write_bytes(page.read_bytes())
    cold.index()
    assert undated(small) == undated(cold)


MENU = "\n".join(f"- [On {name}](/{name})" for name in NAMES)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"{MENU}\n\n---\n\n# Keel\n\nPaint it.", "---\n\n# Keel\n\nPaint it."),
        (f"# Keel\n\n- Menu\n\n  {MENU.replace(chr(10), chr(10) + '  ')}\n\nPaint it.", "# Keel\n\nPaint it."),
        (f"# Keel\n\nPaint it.\n\n{MENU}", "# Keel\n\nPaint it."),
        (f"# Index\n\n{MENU}", f"# Index\n\n{MENU}"),
        (f"{MENU}\n\n# Index\n\n{MENU}", f"# Index\n\n{MENU}"),
        ("# Links\n\n- [On keel](/keel)\n- [On mast](/mast)", "# Links\n\n- [On keel](/keel)\n- [On mast](/mast)"),
        (f"# Code\n\n```\n{MENU}\n```\n\nText.", f"# Code\n\n```\n{MENU}\n```\n\nText."),
        (
            "# Ports\n\n" + "\n".join(f"- [{name}](/p/{name})" for name in "abcdefg"),
            "# Ports\n\n" + "\n".join(f"- [{name}](/p/{name})" for name in "abcdefg"),
        ),
    ],
)
def test_only_lists_of_common_links_go(body: str, text: str) -> None:
    """A page that is only such a list keeps it: there it is the content."""
    common = common_links(("en", f"- Menu\n\n{MENU}\n\nPage {number}.") for number in range(9))
    assert without_navigation(body, common["en"]) == text


def test_few_pages_have_no_navigation() -> None:
    """Two of three pages may share a list by chance."""
    assert common_links([("en", MENU)] * 4) == {"en": frozenset()}
    assert common_links([("en", MENU)] * 4 + [("en", "Text.")] * 4) == {"en": frozenset()}


def test_each_language_has_its_own_navigation(tmp_path: Path) -> None:
    """Also the smaller one; a page of another language keeps its list of the same links, which are content there."""
    site = bare(tmp_path / "site")
    menus = {
        language: "".join(f"<li><a href='/{language}/{name}'>{word} {name}</a></li>" for name in NAMES)
        for language, word in (("en", "On"), ("de", "Zu"))
    }
    for language, names in (("en", [f"{name}-{at}" for name in NAMES for at in range(4)]), ("de", NAMES)):
        for name in names:
            write_in(site, language, name, menus[language])
    write_in(site, "en", "words", menus["de"])
    site.index()
    pages = bodies(site)
    assert pages["/de/keel"] == "# keel\n\nThe keel needs paint."
    assert pages["/en/keel-1"] == "# keel-1\n\nThe keel-1 needs paint."
    assert "Zu keel" in pages["/en/words"]


def write_in(site: Site, language: str, name: str, menu: str) -> None:
    path = site.root / "build" / language / f"{name}.html"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f"<html lang={language}><title>{name} | Boats</title><body><div id=content><ul>{menu}</ul><h1>{name}</h1>"
        f"<p>The {name} needs paint.</p></div>"
    )
