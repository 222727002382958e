"""Whatever the folders are called, in whatever order they are listed, and whatever URL is asked for (spec 16.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.web.routes.kit import KitProject, KitVersion
from searchsocket.web.routes.table import NO_ROUTE, route_table
from tests.web.routes.test_route_table import table

SEGMENT = st.sampled_from(
    ["a", "b", "(g)", "[p]", "[[o]]", "[...r]", "[m=x]", "[[n=x]]", "v[q]", "[s]-[t]", "[...u].z", "[x+61]", "+x",
     "[p-p]", "[[o-o=x-x]]", "[...r-r]"]
)  # fmt: skip
VERSION: st.SearchStrategy[KitVersion | None] = st.sampled_from([2, 3, None])


@given(
    VERSION,
    st.lists(st.lists(SEGMENT, max_size=4), max_size=8),
    st.lists(st.sampled_from(["a", "b", "v1", "a-b", "c.z", "%2F", "é"]), max_size=4),
)
def test_any_tree_answers_the_same_in_any_order(
    version: KitVersion | None, ids: list[list[str]], path: list[str]
) -> None:
    """File systems list in any order; the answer must not depend on it."""
    files = ["/".join(["src/routes", *folders, "+page.svelte"]) for folders in ids]
    url = "/" + "/".join(path)
    kit = KitProject(version)
    route = route_table(files, kit).resolve(url)
    assert route == route_table(reversed(files), kit).resolve(url)
    assert (route.resolution == "none") == (route.route_file == "")


@given(VERSION, st.lists(st.text(st.sampled_from(list("[]().+x=a/-?*\\%\ud800")), max_size=20)), st.text(max_size=20))
def test_hostile_folder_names_raise_nothing(version: KitVersion | None, folders: list[str], url: str) -> None:
    """Folder names are read from a disk or a branch that anybody may have written."""
    route_table([f"src/routes/{folder}/+page.svelte" for folder in folders], KitProject(version)).resolve("/" + url)


def test_routes_that_no_url_can_reach_are_harmless() -> None:
    """A NUL, or more characters than a URL may have."""
    routes = table("/[x+00]", "/" + "/".join(["x" * 200] * 15), "/a")
    assert routes.resolve("/a").resolution == "exact"


@pytest.mark.parametrize(
    ("route_id", "url"),
    [
        ("/[a]-[b]-[c]-[d]-[e]x", "/" + "-" * 1990),
        ("/[...r]-[a]-[b]-[c]x", "/" + "-" * 1990),
        ("/[...a]/x/[...b]/x/[...c]/y", "/x" * 990),
        ("/" + "[[o]]/" * 100 + "z", "/x" * 100),
    ],
)
def test_matching_is_not_exponential(route_id: str, url: str) -> None:
    """A route name and a URL may be built to make a backtracking search explode: this would not end for hours."""
    assert table(route_id.rstrip("/")).resolve(url) is NO_ROUTE
