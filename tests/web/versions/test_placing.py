"""Pages that say the same in several versions are one page."""

from searchsocket.types import SiteVersion, VersionFamily
from searchsocket.web.versions.families import EXCLUDED, AddressedPage, Placement, VersionPage, place
from searchsocket.web.versions.names import UNVERSIONED, version_label, version_names

FAMILY = VersionFamily("", tuple(SiteVersion(name, f"/{name}") for name in ("dev", "2.0", "1.0")), "2.0")
DOCS = VersionFamily("/docs", (SiteVersion("2.0", "/docs"), SiteVersion("1.0", "/docs/1.0")), "2.0")


def page(url: str, text: str, canonical: str = "", address: str = "") -> AddressedPage:
    return AddressedPage(VersionPage(url, "Title", "", canonical, text), address)


def label(name: str) -> str:
    return version_label("", name)


def test_the_page_of_the_searched_version_stands_for_its_copies() -> None:
    placements = place([page(f"/{name}/a", "same") for name in ("1.0", "2.0", "dev")], [FAMILY])
    assert placements == {
        "/1.0/a": Placement((), "/2.0/a"),
        "/2.0/a": Placement((label("2.0"), label("dev"), label("1.0"))),
        "/dev/a": Placement((), "/2.0/a"),
    }
    assert version_names(placements["/2.0/a"].labels) == ("2.0", "dev", "1.0")


def test_a_page_that_differs_stays() -> None:
    placements = place(
        [page("/1.0/a", "old"), page("/2.0/a", "new"), page("/2.0/b", "new"), page("/1.0/b", "")], [FAMILY]
    )
    assert [placement.copy_of for placement in placements.values()] == ["", "", "", ""]
    assert placements["/1.0/a"].labels == (label("1.0"),)


def test_a_page_that_the_searched_version_lacks_is_in_the_newest_that_has_it() -> None:
    family = VersionFamily("", tuple(SiteVersion(name, f"/{name}") for name in ("3", "2", "1", "0")), "3")
    placements = place([page(f"/{name}/a", "same") for name in "012"], [family])
    assert {url for url, one in placements.items() if not one.copy_of} == {"/2/a"}


def test_pages_without_a_version_are_marked_only_on_a_site_that_has_some() -> None:
    assert place([page("/about", "x")], [FAMILY])["/about"].labels == (UNVERSIONED,)
    assert place([page("/about", "x")], [])["/about"].labels == ()


def test_a_version_at_the_root_takes_the_pages_that_versions_have() -> None:
    site = [
        page(url, url)
        for url in ("/docs", "/docs/a", "/docs/guide/new", "/docs/1.0/a", "/docs/1.0/guide/b", "/docs/blog")
    ]
    placements = place([*site, page("/about", "x")], [DOCS])
    names = {url: version_names(one.labels) for url, one in placements.items()}
    assert names["/docs/a"] == names["/docs/guide/new"] == ("2.0",)
    assert names["/docs/1.0/a"] == ("1.0",)
    assert names["/docs/blog"] == names["/about"] == ()


def test_pages_of_an_alias_are_copies() -> None:
    family = VersionFamily(
        "", (SiteVersion("2.0", "/2.0", "", {"latest": "/latest"}), SiteVersion("1.0", "/1.0")), "2.0"
    )
    placements = place([page("/latest/a", "x"), page("/2.0/a", "x"), page("/1.0/a", "y")], [family])
    assert placements["/latest/a"] == Placement((), "/2.0/a")


def test_an_excluded_version_is_left_out() -> None:
    placements = place([page("/dev/a", "x"), page("/2.0/a", "x")], [FAMILY], ["dev"])
    assert placements == {"/dev/a": Placement((), EXCLUDED), "/2.0/a": Placement((label("2.0"),))}


def test_a_canonical_of_the_same_text_is_one_page() -> None:
    """On any site; the published site may lie below a base path that the build has not."""
    site = [
        page("/a", "x", "/base/b"),
        page("/b", "x", "/base/b"),
        page("/c", "z", "/base/b"),
        page("/d", "x", "/base/d"),
    ]
    assert {url: one.copy_of for url, one in place(site, []).items()} == {"/a": "/b", "/b": "", "/c": "", "/d": ""}


def test_canonicals_in_a_circle_leave_one_page() -> None:
    site = [page("/a", "x", "/b"), page("/b", "x", "/a")]
    urls_left = [url for url, one in place(site, []).items() if not one.copy_of]
    assert len(urls_left) == 1


def test_pages_whose_addresses_differ_in_form_are_not_merged() -> None:
    """The address of a copy follows from that of the page by its version's folder."""
    site = [page("/1.0/a", "x", address="/1.0/a.html"), page("/2.0/a", "x", address="/2.0/a/")]
    assert {item.copy_of for item in place(site, [FAMILY]).values()} == {""}
