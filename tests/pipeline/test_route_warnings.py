"""A run warns about routes that it does not understand (spec 16.4)."""

import pytest

from tests.pipeline.conftest import Site

CONFIG = "import {{ sveltekit }} from '@sveltejs/kit/vite';\nexport default {{ plugins: [sveltekit({})] }};\n"


@pytest.fixture
def kit(site: Site) -> Site:
    """The site as one of SvelteKit 3."""
    (site.root / "package.json").write_text('{"devDependencies": {"@sveltejs/kit": "^3.2.0"}}')
    (site.root / "src/routes/docs/[any-page]").mkdir(parents=True)
    (site.root / "src/routes/docs/[any-page]/+page.svelte").touch()
    return site


def configure(site: Site, argument: str, toml: str = "") -> None:
    (site.root / "vite.config.js").write_text(CONFIG.format(argument))
    (site.root / "searchsocket.toml").write_text(toml)


def test_a_route_that_the_framework_refuses_is_told(kit: Site) -> None:
    """Its pages have no route file, and a person should learn why."""
    configure(kit, "")
    assert kit.index().warnings == ()
    (kit.root / "src/routes/[a][b]").mkdir()
    (kit.root / "src/routes/[a][b]/+page.svelte").touch()
    assert [warning for warning in kit.index().warnings if "/[a][b]" in warning]


def test_computed_settings_are_told_until_they_are_stated(kit: Site) -> None:
    configure(kit, "load()")
    warnings = kit.index().warnings
    settings = ["routes.dir", "routes.static_dir", "source.base_path"]
    assert [name for name in settings if any(f"set {name}" in warning for warning in warnings)] == settings
    by_hand = "[routes]\ndir = 'src/routes'\nstatic_dir = 'static'\n[source]\nbase_path = '/'\n"
    configure(kit, "load()", by_hand)
    assert kit.index().warnings == ()


def test_a_base_path_that_only_the_framework_knows_is_told(kit: Site) -> None:
    """Links of the pages carry it; without the setting they lead nowhere."""
    configure(kit, "{ paths: { base: '/harbour' } }")
    assert [warning for warning in kit.index().warnings if 'paths.base is "/harbour"' in warning]
    configure(kit, "{ paths: { base: '/harbour' } }", "[source]\nbase_path = '/harbour'\n")
    assert kit.index().warnings == ()
    configure(kit, "{ paths: { base: '/harbour' } }", "[project]\nbase_url = 'https://h.test/harbour'\n")
    assert kit.index().warnings == ()


def test_routes_of_a_configured_folder_are_found_without_a_setting(kit: Site) -> None:
    configure(kit, "{ files: { routes: 'src/pages' } }")
    (kit.root / "src/routes").rename(kit.root / "src/pages")
    kit.index()
    assert {record.page.route_file for record in kit.records() if record.page.url.startswith("/docs/")} >= {
        "src/pages/docs/[any-page]/+page.svelte"
    }
