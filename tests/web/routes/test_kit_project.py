"""Version and settings of a project, read without running anything (spec 16.4)."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.web.routes.kit import KitProject, read_kit
from searchsocket.web.routes.script import Script

THIRD = '{"devDependencies": {"@sveltejs/kit": "^3.2.0"}}'
SECOND = '{"devDependencies": {"@sveltejs/kit": "^2.70.4"}}'
IMPORT = "import { sveltekit } from '@sveltejs/kit/vite';\n"


def project(files: dict[str, str]) -> Callable[[str], str | None]:
    return files.get


def vite(argument: str, before: str = "", name: str = "vite.config.js") -> dict[str, str]:
    """A project of version 3 that gives this to the plugin."""
    text = f"{IMPORT}{before}\nexport default defineConfig({{ plugins: [other(), sveltekit({argument})] }});\n"
    return {"package.json": THIRD, name: text}


@pytest.mark.parametrize(
    ("package", "installed", "files", "expected"),
    [
        ("^3.2.0", "", [], 3),
        ("~3.1", "", [], 3),
        ("3.0.0-next.6", "", [], 3),
        ("workspace:^3.0.0", "", [], 3),
        ("^2.70.4", "", [], 2),
        ("2.x", "", [], 2),
        ("^1.30.0", "", [], 2),
        ("latest", "3.2.0", [], 3),
        ("", "2.70.4", [], 2),
        ("catalog:", "", ["svelte.config.js"], 2),
        ("latest", "", [], None),
        (">=2", "", [], None),
        ("^2.0.0 || ^3.0.0", "", [], None),
        ("^3.0.0", "2.70.4", [], None),  # not installed yet
        ("*", "", ["vite.config.js"], None),
    ],
)
def test_the_version_is_known_where_only_one_fits(
    package: str, installed: str, files: list[str], expected: int | None
) -> None:
    results = {"package.json": f'{{"devDependencies": {{"@sveltejs/kit": "{package}"}}}}'}
    if installed:
        results["node_modules/@sveltejs/kit/package.json"] = f'{{"version": "{installed}"}}'
    kit = read_kit(project(results | dict.fromkeys(files, "export default {}")))
    assert kit.version == expected


def test_a_version_that_nobody_knows_yet_is_said() -> None:
    kit = read_kit(project({"package.json": '{"dependencies": {"@sveltejs/kit": "^4.0.0"}}'}))
    assert (kit.version, len(kit.warnings)) == (3, 1)


@pytest.mark.parametrize(
    "files",
    [
        vite("{ files: { routes: 'app/pages', assets: 'public' }, paths: { base: '/docs' } }"),
        vite("{ files: { routes: './app/pages/', assets: `public` }, paths: { base: '/docs' } }",
             name="vite.config.ts"),
        vite("{ 'files': { src: 'app', routes: \"app/pages\", assets }, paths }", "const assets = 'public', x = 1\n"
             "const paths = { base: '/docs' }"),
        vite("config", "const usual = { paths: { base: '/docs' } };\nconst config: Config = {\n  ...usual, // rest\n"
             "  files: { routes: 'app/pages', assets: 'public' },\n  adapter: adapter({ x: /['\"{]/ }),\n"
             "  prerender: { handleHttpError({ path }) { if (path === '}') return } }\n} satisfies Config"),
        {"package.json": SECOND, "vite.config.js": IMPORT + "export default { plugins: [sveltekit()] }",
         "svelte.config.js": "/** @type {Config} */\nconst config = { kit: { files: { routes: 'app/pages', "
         "assets: 'public' }, paths: { base: '/docs' } } }\nexport default config"},
        {**vite("{ files: { routes: 'app/pages', assets: 'public' }, paths: { base: '/docs' } }"),
         "package.json": SECOND, "svelte.config.js": "export default { kit: { paths: { base: '/other' } } }"},
    ],
    ids=["plain", "typescript", "constants", "spread", "version-2", "version-2-in-vite"],
)  # fmt: skip
def test_settings_that_are_written_out_are_read(files: dict[str, str]) -> None:
    kit = read_kit(project(files))
    assert (kit.routes_dir, kit.static_dir, kit.base_path, kit.warnings) == ("app/pages", "public", "/docs", ())


@pytest.mark.parametrize("argument", ["", "{}", "{ adapter: adapter() }", "{ files: { lib: 'x' }, ...{ alias } }"])
def test_missing_settings_have_their_defaults(argument: str) -> None:
    kit = read_kit(project(vite(argument)))
    assert (kit.routes_dir, kit.static_dir, kit.base_path, kit.warnings) == ("src/routes", "static", "", ())


@pytest.mark.parametrize(
    ("argument", "before"),
    [
        ("config", "import config from './kit.js'"),
        ("{ ...shared }", "import { shared } from './kit.js'"),
        ("{ files: {}, paths: {}, ...usual }", "const usual = { alias, ...shared }"),
        ("{ '\\x66iles': {} }", ""),
        ("makeConfig()", ""),
        ("{ files: files(), paths: paths() }", ""),
        ("{ files: { [key]: 'a' }, paths: { base: dev ? '' : '/docs' } }", ""),
        ("{ files: { routes: `${a}/b`, assets: a + 'b' }, paths: { base: process.env.BASE } }", ""),
        ("{ files: { routes: '../pages', assets: '/srv' }, paths: { get base() { return '/x' } } }", ""),
        ("config", "const config = { files: {} };\nconfig.files.routes = 'a'"),
        ("config", "const config = {};\nObject.assign(config, other)"),
        ("config", "let config = {}"),
        ("...configs", "const configs = [{}]"),
        (")] }, { plugins: [sveltekit({}", ""),
    ],
)
def test_computed_settings_are_reported(argument: str, before: str) -> None:
    """With the file, and the setting that states it by hand."""
    kit = read_kit(project(vite(argument, before)))
    assert kit.base_path is None
    assert (kit.routes_dir, kit.static_dir) == ("src/routes", "static")
    named = ("set routes.dir", "set routes.static_dir")
    assert [warning.rpartition("; ")[2] for warning in kit.warnings] == [*named]
    assert all(warning.startswith("vite.config.js: ") for warning in kit.warnings)
    by_hand = read_kit(project(vite(argument, before)), "app/pages", "public")
    assert (by_hand.routes_dir, by_hand.static_dir, by_hand.warnings) == ("app/pages", "public", ())


@pytest.mark.parametrize("config", ["{ root: 'app', plugins: [sveltekit()] }", "() => ({ root: app, plugins })"])
def test_another_root_is_said(config: str) -> None:
    """Every folder of the framework is then counted from there."""
    kit = read_kit(project({"package.json": THIRD, "vite.config.js": f"{IMPORT}sveltekit();export default {config}"}))
    assert [warning for warning in kit.warnings if "root" in warning]


def test_endings_are_read_as_far_as_they_are_written_out() -> None:
    kit = read_kit(project(vite("{ extensions: ['.svelte', '.note', ...more], moduleExtensions: ['.mjs'] }")))
    assert (kit.components, kit.modules, kit.has_literal_endings) == ((".svelte", ".note"), (".mjs",), False)


@pytest.mark.parametrize(
    "files",
    [{}, {"package.json": "{"}, {"package.json": "[]", "vite.config.js": "export default { plugins: [react()] }"}],
)
def test_other_projects_are_left_in_peace(files: dict[str, str]) -> None:
    assert read_kit(project(files)) == KitProject()


PIECES = ["{", "}", "[", "]", "(", ")", ",", ":", ";", "...", "=", "=>", "/", "'", '"', "`", "${", "\\", "\n", " "]
NAMES = ["a", "const a=", "export default ", "sveltekit(", "defineConfig(", "files:", "get ", "'x'", " as ", "//", "/*"]


@given(st.lists(st.sampled_from(PIECES + NAMES), max_size=60))
def test_any_text_is_read_to_its_end(pieces: list[str]) -> None:
    """It may be of a foreign branch."""
    text = "".join(pieces)
    script = Script(text)
    script.argument("sveltekit")
    script.default_export()
    read_kit(project({"package.json": SECOND, "vite.config.js": text, "svelte.config.js": text}))


@pytest.mark.parametrize(
    "text",
    [
        "export default " + "[" * 50_000,
        "export default " + "{a:" * 50_000,
        "const a0 = {x: 1};" + "".join(f"const a{i + 1} = {{...a{i}, ...a{i}}};" for i in range(900))
        + "export default a900",
        "const a = {...a, b: a}; export default a",
    ],
    ids=["lists", "objects", "constants", "circle"],
)  # fmt: skip
def test_deep_texts_are_not_followed_to_the_bottom(text: str) -> None:
    assert Script(text).default_export() != {"x": "1"}
