"""SvelteKit's own precedence, from file names alone (spec 16.4); original failures 14 and 15."""

import pytest

from searchsocket.web.routes.kit import KitProject, read_kit
from searchsocket.web.routes.table import NO_ROUTE, RouteTable, route_table, route_url


def table(*ids: str, name: str = "+page.svelte") -> RouteTable:
    """A tree with one page component in each of these folders."""
    return route_table([f"src/routes{'' if route_id == '/' else route_id}/{name}" for route_id in ids])


@pytest.mark.parametrize(
    ("ids", "url", "expected"),
    [
        (["/"], "/", "/"),
        (["/(marketing)"], "/", "/(marketing)"),
        (["/docs"], "/", ""),
        (["/docs", "/[slug]"], "/docs", "/docs"),
        (["/(a)/docs", "/(a)/(b)/more"], "/more", "/(a)/(b)/more"),
        (["/docs/[slug]", "/docs/[...rest]"], "/docs/a", "/docs/[slug]"),
        (["/docs/[slug]", "/docs/[...rest]"], "/docs/a/b", "/docs/[...rest]"),
        (["/docs/[...rest]"], "/docs", "/docs/[...rest]"),
        (["/[...rest]"], "/", "/[...rest]"),
        (["/[...rest]/edit", "/[...rest]"], "/a/b/edit", "/[...rest]/edit"),
        (["/[...rest]/edit", "/[a]/[b]"], "/a/edit", "/[...rest]/edit"),
        (["/[...rest]/edit", "/[a]/edit"], "/a/edit", "/[a]/edit"),
        (["/[[lang]]", "/about"], "/about", "/about"),
        (["/[[lang]]/about"], "/about", "/[[lang]]/about"),
        (["/[[lang]]/about"], "/de/about", "/[[lang]]/about"),
        (["/[[lang]]/about", "/[slug]/[page]"], "/de/about", "/[[lang]]/about"),
        (["/[[lang]]"], "/", "/[[lang]]"),
        (["/v[x]", "/[slug]"], "/v2", "/v[x]"),
        (["/v[x]", "/[slug]"], "/v", "/[slug]"),
        (["/[a]-[b]", "/[slug]"], "/x-y", "/[a]-[b]"),
        (["/foobar-[x]", "/foo[x]"], "/foobar-1", "/foobar-[x]"),
        (["/[a].json", "/[slug]"], "/x.json", "/[a].json"),
        (["/[...path].json", "/[...path]"], "/a/b.json", "/[...path].json"),
        (["/pre-[...path]-post"], "/pre-a/b/c-post", "/pre-[...path]-post"),
        (["/smileys/[x+3a]-[x+29]"], "/smileys/:-)", "/smileys/[x+3a]-[x+29]"),
        (["/[x+2e]well-known/a", "/[slug]/a"], "/.well-known/a", "/[x+2e]well-known/a"),
        (["/[u+0041]b"], "/Ab", "/[u+0041]b"),
        (["/[u+d83e][u+dd2a]"], "/%F0%9F%A4%AA", "/[u+d83e][u+dd2a]"),
        (["/[x+23]"], "/%23", "/[x+23]"),
        (["/100%"], "/100%25", "/100%"),
        (["/日本"], "/%E6%97%A5%E6%9C%AC", "/日本"),
        (["/cafe\u0301"], "/café", "/cafe\u0301"),
        (["/a b"], "/a%20b", "/a b"),
        (["/INSTALL.md"], "/INSTALL.md", "/INSTALL.md"),
        (["/page.html"], "/page.html", "/page.html"),
        (["/Docs"], "/docs", ""),
    ],
)
def test_the_framework_order_decides(ids: list[str], url: str, expected: str) -> None:
    """Each pair is one that a scan by length, or by alphabet, gets wrong."""
    for order in (ids, ids[::-1]):
        route = table(*order).resolve(url)
        assert route.route_id == expected
        assert route.resolution == ("exact" if expected else "none")


def test_parameters_are_decoded() -> None:
    """They say which item of a dynamic route a page is."""
    route = table("/[[lang]]/[kind]-[id]/[...rest]").resolve("/de/blog-7/a%20b/c%2Fd")
    assert dict(route.params) == {"lang": "de", "kind": "blog", "id": "7", "rest": "a b/c/d"}


def test_the_home_page_is_exact() -> None:
    """Original failure 14: `/` never mapped exactly, so strict mode failed every site with a home page."""
    route = table("/", "/[...rest]").resolve("/")
    assert (route.route_file, route.resolution) == ("src/routes/+page.svelte", "exact")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["+page.svelte", "+page.ts", "+page.server.ts"], "+page.svelte"),
        (["+page.server.ts", "+page.ts"], "+page.ts"),
        (["+page.server.js"], "+page.server.js"),
        (["+page@.svelte"], "+page@.svelte"),
        (["+page@(app).svelte"], "+page@(app).svelte"),
        (["+page.md"], "+page.md"),
        (["+page.svx"], "+page.svx"),
        (["+page.svelte", "+server.ts"], "+page.svelte"),
        (["+server.ts"], ""),
        (["+layout.svelte", "+error.svelte"], ""),
        (["+page.stories.svelte", "+page.test.ts", "+page.d.ts", "page.svelte", "+page.svelte.bak"], ""),
    ],
)
def test_the_file_that_a_person_would_open(names: list[str], expected: str) -> None:
    """The component where there is one, else the code that makes the page (spec 16.4)."""
    route = route_table([f"src/routes/(app)/a/{name}" for name in names]).resolve("/a")
    assert route.route_file == (f"src/routes/(app)/a/{expected}" if expected else "")


def test_a_route_without_a_component_outranks_a_rest_route() -> None:
    """A scan of `+page.svelte` alone would name the rest route's file: an exact claim, and wrong."""
    files = ["src/routes/[...rest]/+page.svelte", "src/routes/old/+page.server.ts"]
    assert route_table(files).resolve("/old").route_file == "src/routes/old/+page.server.ts"


def test_an_endpoint_that_answers_first_leaves_no_route_file() -> None:
    """The page at that URL was made by code that is no page (spec 16.4)."""
    files = ["src/routes/[...rest]/+page.svelte", "src/routes/feed.xml/+server.ts"]
    assert route_table(files).resolve("/feed.xml") is NO_ROUTE


def test_a_route_whose_name_ends_in_html_makes_the_file_of_the_shorter_url() -> None:
    """`/page.html` is prerendered into `page.html`, which is listed as `/page`."""
    route = table("/page.html", "/docs/[slug]").resolve("/page")
    assert (route.route_id, route.resolution) == ("/page.html", "exact")
    assert table("/page.html", "/page").resolve("/page").route_id == "/page"
    route = table("/page.html", "/[slug]").resolve("/page")
    assert (route.route_id, route.resolution) == ("/page.html", "best-effort")
    assert route_table(["src/routes/page.html/+server.ts"]).resolve("/page") is NO_ROUTE


def test_a_file_that_is_copied_as_it_is_has_no_route() -> None:
    """A rest route would take its URL, and an exact claim would be wrong (spec 16.4)."""
    files = ["src/routes/[...rest]/+page.svelte", "src/routes/a/+page.svelte"]
    copied = [f"static/{name}" for name in ("api docs.html", "manual/index.html", "a.html", "x.png", "../y.html")]
    routes = route_table([*files, *copied])
    assert routes.resolve("/api%20docs") is routes.resolve("/manual") is NO_ROUTE
    assert routes.resolve("/a").route_id == "/a"  # prerendered over the copy
    assert routes.resolve("/x.png").route_id == "/[...rest]"
    assert routes.digest != route_table(files).digest


class TestMatchers:
    """Matchers are code of the app and cannot be run here: they may match (spec 16.4)."""

    def test_a_matcher_makes_a_best_effort(self) -> None:
        """The most specific route is named, and nothing is claimed."""
        route = table("/[id=integer]", "/[slug]").resolve("/12")
        assert (route.route_id, route.resolution) == ("/[id=integer]", "best-effort")
        assert table("/[id=integer]").resolve("/12").resolution == "best-effort"

    def test_a_route_above_the_matcher_stays_exact(self) -> None:
        """The matcher is not needed then."""
        assert table("/[id=integer]", "/about").resolve("/about").resolution == "exact"

    def test_an_optional_matcher_that_takes_nothing_stays_exact(self) -> None:
        """Without a value no matcher runs."""
        routes = table("/[[lang=locale]]/about/[slug]", "/[...rest]")
        assert routes.resolve("/about/x").resolution == "exact"
        assert routes.resolve("/de/about/x").resolution == "best-effort"

    def test_both_answers_lead_to_one_file(self) -> None:
        """`/a` is answered by this route whether the matcher takes `a` or leaves it to the rest."""
        assert table("/[[lang=locale]]/[...rest]").resolve("/a").resolution == "exact"


@pytest.mark.parametrize(
    ("files", "word"),
    [
        (["(x)/a/+page.svelte", "(y)/a/+page.svelte"], "same URLs"),
        (["[slug1]/+page.svelte", "[slug2]/+page.svelte"], "same URLs"),
        (["[[a]]/x/+page.svelte", "x/+page.svelte"], "same URLs"),
        (["[foo][bar]/+page.svelte"], "separated"),
        (["[foo/+page.svelte"], "unbalanced"),
        (["[...a]/[[b]]/+page.svelte"], "cannot follow"),
        (["[[...a]]/+page.svelte"], "outer brackets"),
        (["[x+3A]/+page.svelte", "[x+zz]/+page.svelte"], "not a character escape"),
        (["[u+ffffff]/+page.svelte"], "not a character escape"),
        (["[a+b]/+page.svelte"], "not a parameter"),
        (["[a-b]/+page.svelte"], "SvelteKit 2 and 3"),
        (["a/+page.svelte", "[x+61]/+page.svelte"], "same URLs"),
        (["a#b/+page.svelte"], "x+23"),
        (["a/" * 300 + "+page.svelte"], "folders deep"),
        (["+page.svelte", "+page@.svelte"], "duplicate file"),
        (["+page.js", "+page.ts"], "duplicate file"),
        (["+server.js", "+server.ts"], "duplicate file"),
        (["+layout.server.js", "+layout.server.ts"], "duplicate layout"),
        (["+layout.svelte", "+layout@.svelte"], "duplicate layout"),
        (["+layout-foo.svelte"], "reserves"),
        (["x/+page@.js"], "reserves"),
        (["+page@missing.svelte"], "missing"),
        (["\udce9/+page.svelte"], "not UTF-8"),
    ],
)
def test_a_tree_that_the_framework_refuses_is_reported(files: list[str], word: str) -> None:
    """The site may still be half built: the rest of the tree maps on, and nothing is claimed for what is in doubt."""
    routes = route_table([*(f"src/routes/{file}" for file in files), "src/routes/fine/+page.svelte"])
    assert any(word in warning for warning in routes.warnings), routes.warnings
    assert routes.resolve("/fine").resolution == "exact"
    assert routes.resolve("/a").resolution != "exact"


def test_legitimate_trees_raise_no_warning() -> None:
    """A warning on every run is one that nobody reads."""
    routes = table("/", "/[[lang]]", "/docs/[slug]", "/docs/[id=int]", "/docs/[...rest]", "/[x+3a]", "/(a)/b", "/(c)/d")
    assert routes.warnings == ()


def test_custom_folders_and_other_files() -> None:
    """`routes.dir` may be anything inside the project; files elsewhere are no routes."""
    files = ["app/pages/docs/+page.svelte", "src/routes/x/+page.svelte", "app/pages-old/y/+page.svelte"]
    routes = route_table(files, read_kit(lambda name: None, "./app/pages/"))
    assert routes.resolve("/docs").route_file == "app/pages/docs/+page.svelte"
    assert routes.resolve("/x") is routes.resolve("/y") is NO_ROUTE
    assert route_table(["docs/+page.svelte"], read_kit(lambda name: None, ".")).resolve("/docs").resolution == "exact"


def test_the_digest_follows_the_routes_and_nothing_else() -> None:
    """It is a cache key: order and layouts do not count, a new route does."""
    one = table("/a", "/b")
    assert one.digest == table("/b", "/a").digest
    assert (
        one.digest
        == route_table(["src/routes/a/+page.svelte", "src/routes/b/+page.svelte", "src/routes/+layout.svelte"]).digest
    )
    assert one.digest != table("/a", "/b", "/c").digest


def test_static_routes_have_one_url() -> None:
    """Content files under the routes folder take their URL from it."""
    assert route_url("/(app)/docs") == "/docs"
    assert route_url("/a b/[x+3a]") == "/a%20b/:"
    assert route_url("/(app)") == route_url("/") == "/"
    assert route_url("/[slug]") is None


class TestVersions:
    """The two grammars, where they differ."""

    def test_names_with_a_hyphen_are_of_version_3(self) -> None:
        """Version 2 refuses them."""
        files = ["src/routes/[a-b]/+page.svelte", "src/routes/v[c-d=e-f]/[[g-h]]/[...i-j]/+page.svelte"]
        third = route_table(files, KitProject(3))
        assert third.warnings == ()
        assert third.resolve("/x").resolution == "exact"
        assert dict(third.resolve("/v1/x/y").params) == {"c-d": "1", "g-h": "x", "i-j": "y"}
        second = route_table(files, KitProject(2))
        assert second.routes == ()
        assert len(second.warnings) == 2

    def test_an_escape_of_more_than_four_digits(self) -> None:
        """Version 2 keeps 16 bits of it."""
        files = ["src/routes/[u+1f92a]/+page.svelte"]
        for version, url in ((3, "/\U0001f92a"), (2, "/\uf92a")):
            table = route_table(files, KitProject(version))  # type: ignore[arg-type]
            assert [table.resolve(item).resolution for item in (url, "/x")] == ["exact", "none"]

    def test_an_unknown_version_claims_only_what_both_say(self) -> None:
        """Routes that differ follow version 3, with a warning."""
        routes = table("/[a-b]", "/docs/[c]")
        assert routes.resolve("/docs/x").resolution == "exact"
        assert routes.resolve("/x").resolution == "best-effort"
        assert [warning.split(":")[0] for warning in routes.warnings] == ["route /[a-b]"]

    def test_the_version_is_part_of_the_digest(self) -> None:
        files = ["src/routes/[u+1f92a]/+page.svelte"]
        assert route_table(files, KitProject(2)).digest != route_table(files, KitProject(3)).digest


def test_configured_endings_make_pages_too() -> None:
    """If the endings are computed, a warning names files that may be pages."""
    files = ["src/routes/a/+page.note", "src/routes/a/+page.load.mjs", "src/routes/b/+page.svelte"]
    routes = route_table(files, KitProject(components=(".note",), modules=(".load.mjs",)))
    assert (routes.resolve("/a").route_file, routes.warnings) == ("src/routes/a/+page.note", ())
    routes = route_table(files, KitProject(has_literal_endings=False, config_file="vite.config.js"))
    assert routes.resolve("/a") is NO_ROUTE
    assert len([warning for warning in routes.warnings if "vite.config.js" in warning]) == 2
