"""Listing a routes folder on disk (spec 16.4)."""

from pathlib import Path

import pytest

from searchsocket.errors import UnsafePath
from searchsocket.web.routes.table import scan_project, scan_routes


def touch(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def test_the_folder_on_disk_is_mapped(tmp_path: Path) -> None:
    """Route files are named relative to the project, with forward slashes."""
    touch(tmp_path, "src/routes/+page.svelte", "src/routes/(docs)/[...slug]/+page.md", "src/lib/+page.svelte")
    routes = scan_routes(tmp_path, scan_project(tmp_path))
    assert routes.resolve("/").route_file == "src/routes/+page.svelte"
    assert routes.resolve("/a/b").route_file == "src/routes/(docs)/[...slug]/+page.md"
    assert len(routes.routes) == 2
    touch(tmp_path, "static/verify.html", "static/logo.png")
    assert scan_routes(tmp_path, scan_project(tmp_path)).resolve("/verify").resolution == "none"


def test_a_project_without_routes_maps_nothing(tmp_path: Path) -> None:
    """Most sites are not SvelteKit's."""
    routes = scan_routes(tmp_path, scan_project(tmp_path))
    assert (routes.routes, routes.warnings) == ((), ())
    assert routes.resolve("/").resolution == "none"


def test_links_are_followed_inside_the_project_only(tmp_path: Path) -> None:
    """The framework follows links; a circle or a way out must not be taken."""
    project = tmp_path / "project"
    touch(project, "src/routes/a/+page.svelte", "shared/b/+page.svelte")
    touch(tmp_path, "outside/c/+page.svelte")
    routes = project / "src/routes"
    (routes / "linked").symlink_to(project / "shared")
    (routes / "out").symlink_to(tmp_path / "outside")
    (routes / "a/circle").symlink_to(routes)
    (routes / "dead").symlink_to(tmp_path / "nowhere")
    table = scan_routes(project, scan_project(project))
    assert [route.route_id for route in table.routes] == ["/a", "/linked/b"]
    assert len(table.warnings) == 2


@pytest.mark.parametrize("routes_dir", ["../outside", "src/../../outside", "link"])
@pytest.mark.parametrize("package", ["{}", '{"devDependencies": {"@sveltejs/kit": "^3.2.0"}}'])
def test_the_folder_itself_stays_inside_the_project(tmp_path: Path, routes_dir: str, package: str) -> None:
    """Configuration of a foreign branch must not list other folders."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project/package.json").write_text(package)
    touch(tmp_path, "outside/+page.svelte")
    (tmp_path / "project/link").symlink_to(tmp_path / "outside")
    with pytest.raises(UnsafePath):
        scan_routes(tmp_path / "project", scan_project(tmp_path / "project", routes_dir))
