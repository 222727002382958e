"""Version folders of a site, and the version that is searched by default."""

from collections.abc import Iterable, Sequence

import pytest

from searchsocket.web.versions.families import VersionPage, VersionRules, find_families
from searchsocket.web.versions.names import ListedVersion

DOCS = ("", "/install", "/usage", "/api/client")
Families = dict[str, tuple[list[str], str]]  # parent -> names, default


def pages(*folders: str, rests: Iterable[str] = DOCS) -> list[VersionPage]:
    return [
        VersionPage(f"{folder}{rest}" or "/", rest or "Home", text=f"{folder}{rest}")
        for folder in folders
        for rest in rests
    ]


def families_of(some: Sequence[VersionPage], listed: Sequence[ListedVersion] = (), **rules: object) -> Families:
    families = find_families(some, {"": listed} if listed else {}, VersionRules(**rules))  # type: ignore[arg-type]
    return {family.parent: ([version.name for version in family.versions], family.default) for family in families}


def test_folders_named_by_numbers_that_hold_the_same_pages() -> None:
    assert families_of(pages("/1.9", "/1.10", "/2.0-rc.1")) == {"": (["2.0-rc.1", "1.10", "1.9"], "1.10")}


def test_versions_may_lie_below_languages_and_components() -> None:
    site = pages("/en/1.0", "/en/2.0", "/de/1.0", "/de/2.0", "/tool/v5", "/tool/v6")
    both = (["2.0", "1.0"], "2.0")
    assert families_of(site) == {"/de": both, "/en": both, "/tool": (["v6", "v5"], "v6")}


def test_read_the_docs_searches_stable() -> None:
    """There `latest` is the development branch."""
    assert families_of(pages("/en/stable", "/en/latest", "/en/v2.1"))["/en"][1] == "stable"


def test_stable_is_the_number_that_it_repeats() -> None:
    site = pages("/stable", "/latest", "/v2.1", "/v2.0")
    site = [page._replace(text=page.text.replace("stable", "v2.1")) for page in site]
    (family,) = find_families(site, {}, VersionRules())
    assert family.default == "v2.1"
    assert {version.name: dict(version.aliases) for version in family.versions} == {
        "latest": {}, "v2.1": {"stable": "/stable"}, "v2.0": {},
    }  # fmt: skip


def test_links_open_where_the_canonical_links_point() -> None:
    """Also if the published site has a base path that the build has not."""
    site = pages("/en/stable", "/en/v2.1", "/en/v2.0")
    site = [
        page._replace(text=page.title, canonical=f"/base/en/stable{page.url[page.url.index('/', 4) :]}")
        if page.url.count("/") > 2
        else page._replace(text="start", canonical="/base/en/stable")
        for page in site
    ]
    site = [page._replace(text="old") if "v2.0" in page.url else page for page in site]
    (family,) = find_families(site, {}, VersionRules())
    assert family.versions[0].folder == "/en/stable"
    assert family.versions[0].aliases == {"stable": "/en/stable", "v2.1": "/en/v2.1"}
    assert family.default == "v2.1"


def test_a_development_branch_is_no_alias_although_it_hardly_differs() -> None:
    site = pages("/stable", "/latest", "/v2.1")
    site = [page._replace(text=page.url.split("/", 2)[-1]) for page in site]
    site = [page._replace(text="edited") if page.url == "/latest/usage" else page for page in site]
    site = [page._replace(text="start") if page.url.count("/") == 1 else page for page in site]
    (family,) = find_families(site, {}, VersionRules())
    assert {version.name: [*version.aliases] for version in family.versions} == {"latest": [], "v2.1": ["stable"]}


def test_without_stable_latest_is_what_it_is_called() -> None:
    """Antora replaces the number of the newest version by `latest`."""
    assert families_of(pages("/tool/latest", "/tool/1.0"))["/tool"][1] == "latest"


@pytest.mark.parametrize(
    ("versions", "default"),
    [
        ([ListedVersion("dev"), ListedVersion("1.1", aliases=("latest",)), ListedVersion("1.0")], "1.1"),
        ([ListedVersion("1.1"), ListedVersion("1.0", aliases=("stable",))], "1.0"),
        ([ListedVersion("1.1"), ListedVersion("1.0", is_preferred=True)], "1.0"),
        ([ListedVersion("dev", aliases=("latest",)), ListedVersion("1.1"), ListedVersion("1.0")], "1.1"),
    ],
)
def test_the_site_says_which_version_is_the_latest(versions: list[ListedVersion], default: str) -> None:
    """Unless that is no release: then the newest release is searched."""
    assert families_of(pages("/dev", "/1.1", "/1.0"), versions)[""][1] == default


def test_an_alias_that_is_a_link_has_no_folder() -> None:
    listed = {"": [ListedVersion("1.1", aliases=("latest",)), ListedVersion("1.0")]}
    (family,) = find_families(pages("/1.1", "/1.0"), listed, VersionRules())
    assert family.versions[0].aliases == {"latest": ""}


def test_a_listed_version_needs_no_page_in_common() -> None:
    site = [*pages("/jammy", rests=("/a",)), *pages("/noble", rests=("/b",))]
    assert families_of(site, [ListedVersion("noble"), ListedVersion("jammy")]) == {"": (["noble", "jammy"], "noble")}
    assert families_of(site) == {}


def docusaurus() -> list[VersionPage]:
    """`/docs` is the newest version, `/docs/next` the unreleased one."""
    stated = {"/docs": "3.0", "/docs/next": "current", "/docs/2.0": "2.0"}
    site = [VersionPage(page.url, page.title, stated[folder]) for folder in stated for page in pages(folder)]
    return [*site, *pages("/blog", rests=("", "/2024/01/02/news", "/2023/01/02/news")), VersionPage("/", "Home")]


def test_docusaurus_states_versions_in_its_metas() -> None:
    assert families_of(docusaurus()) == {"/docs": (["3.0", "next", "2.0"], "3.0")}


def test_docusaurus_is_found_without_its_metas() -> None:
    site = [page._replace(stated="") for page in docusaurus()]
    assert families_of(site)["/docs"] == (["latest", "next", "2.0"], "latest")


def test_canonical_links_say_which_version_is_meant() -> None:
    site = [
        page._replace(canonical=page.url.replace("/3.0", "/2.0").replace("/1.0", "/2.0"))
        for page in pages("/1.0", "/2.0", "/3.0")
    ]
    assert families_of(site)[""][1] == "2.0"


@pytest.mark.parametrize(
    "site",
    [
        [*pages("/blog", rests=("/2.0", "/2.1")), *pages("", rests=("/about", "/install"))],
        pages("/changelog/1.0", "/changelog/1.1", rests=("",)),
        pages("/2.0", rests=DOCS),
        pages("/blog/2023", "/blog/2024", rests=("", "/01/news", "/02/news")),
        [
            VersionPage(f"/releases/{v}{rest}", f"{v}{rest}")
            for v in ("1.0", "1.1")
            for rest in ("", "/notes", "/upgrade")
        ],
        [*pages("/1.0", rests=("/a", "/b", "/c")), *pages("/2.0", rests=("/d", "/e", "/f"))],
    ],
    ids=["blog posts", "changelog", "one folder", "years", "release notes", "nothing in common"],
)
def test_folders_that_are_no_versions(site: list[VersionPage]) -> None:
    assert families_of(site) == {}


def test_a_pattern_names_the_folders() -> None:
    site = pages("/docs/jammy", "/docs/noble", "/api/v1", "/api/v2")
    assert families_of(site, pattern="/docs/{version}") == {"/docs": (["noble", "jammy"], "noble")}
    assert families_of(pages("/en/docs/a1", "/de/docs/a1", "/en/docs/b2"), pattern="/*/docs/{version}") == {
        "/en/docs": (["b2", "a1"], "b2")
    }


def test_a_pattern_makes_no_version_of_a_page_or_a_section() -> None:
    site = [*pages("/docs/1.0", rests=("/a",)), *pages("/docs/2.0", rests=("/b",)), *pages("/docs/guides")]
    site.append(VersionPage("/docs/faq"))
    assert families_of(site) == {}
    assert families_of(site, pattern="/docs/{version}") == {"/docs": (["2.0", "1.0"], "2.0")}


def test_detection_can_be_turned_off() -> None:
    assert families_of(pages("/1.0", "/2.0"), detect=False) == {}


def test_the_settings_name_the_default() -> None:
    site, listed = pages("/1.0", "/2.0"), [ListedVersion("2.0"), ListedVersion("1.0", aliases=("lts",))]
    assert families_of(site, listed, default="1.0")[""][1] == families_of(site, listed, default="lts")[""][1] == "1.0"
    assert families_of(site, exclude=("2.*",))[""][1] == "1.0"


def test_many_versions_and_pages_take_little_time() -> None:
    """Comparisons grow with the number of pages, not with the square of the number of versions."""
    rests = [f"/section{n % 9}/page{n}" for n in range(50)]
    ((names, default),) = families_of(pages(*(f"/{n}.{m}" for n in range(20) for m in range(10)), rests=rests)).values()
    assert (len(names), default) == (200, "19.9")
