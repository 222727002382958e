"""`searchsocket init`: what it finds, shows, writes, and takes back."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner
from runner_types import RunCli, RunJson

from searchsocket.cli.init import init
from searchsocket.project.project import open_project
from searchsocket.project.settings.load import load_settings
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.site import ProjectSettings

ROOT = Path(__file__).parents[2]
KIT2 = {
    "svelte.config.js": "import adapter from '@sveltejs/adapter-node';\n"
    "export default { kit: { adapter: adapter() } };\n"
}
KIT3 = {
    "vite.config.ts": "import adapter from '@sveltejs/adapter-node';\nimport { sveltekit } from '@sveltejs/kit/vite';\n"
    "export default { plugins: [sveltekit({ adapter: adapter(), paths: { base: '/docs' } })] };\n"
}
STATIC = {name: text.replace("adapter-node", "adapter-static") for name, text in KIT2.items()}
Put = Callable[[dict[str, str]], None]


@pytest.fixture
def put(site: Path) -> Put:
    def write(files: dict[str, str]) -> None:
        for name, text in files.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)

    return write


def tree(root: Path) -> dict[str, bytes]:
    """Every file but those of the state folder."""
    files = (path for path in root.rglob("*") if path.is_file() and ".searchsocket" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_init_writes_nothing_before_confirmation(run: RunCli, run_json: RunJson, site: Path, put: Put) -> None:
    put(KIT2)
    before = tree(site)
    result = run("init")
    assert "+export const handle = searchsocketHandle({ markdown: true });" in result.stdout
    assert "run `searchsocket init --yes` to write" in result.stdout
    assert run_json("init")["applied"] is False
    assert tree(site) == before


@pytest.mark.parametrize(("files", "base"), [(KIT2, ""), (KIT3, "/docs")], ids=["2", "3"])
def test_a_svelte_kit_site_gets_handle_component_and_settings(
    run_json: RunJson, site: Path, put: Put, files: dict[str, str], base: str
) -> None:
    """Both kinds of configuration; twice changes nothing more, and undone is as before."""
    put(files | {"src/hooks.server.js": "export const handle = ({ event, resolve }) => resolve(event);\n"})
    before = tree(site)
    report = run_json("init", "--yes")
    assert report["site"]["hasServer"] is True
    assert report["byHand"] == []
    hooks = (site / "src/hooks.server.js").read_text()
    assert f"searchsocketHandle({{ markdown: true{', base: ' + repr(base) if base else ''} }}), siteHandle" in hooks
    assert "export" not in (site / "src/lib/searchsocket/Search.svelte").read_text()
    assert f'endpoint="{base}/api/search"' in (site / "src/lib/searchsocket/Search.svelte").read_text()
    assert (site / "src/lib/searchsocket/handle.js").read_text().startswith("// @ts-nocheck\n")
    settings = load_settings(site, {})
    assert settings.api.trusted_proxies == ("127.0.0.1",)
    assert settings.source.base_path == base
    again = run_json("init", "--yes")
    assert (again["written"], again["byHand"]) == ([], [])
    undone = run_json("init", "--undo")
    assert set(undone["restored"]) == {"src/hooks.server.js"} | ({".gitignore"} & set(before))
    assert tree(site) == before
    assert run_json("init", "--undo") == {"restored": [], "removed": [], "kept": []}


def test_answers_have_their_address_in_the_component_and_the_handle(
    run_json: RunJson, run: RunCli, site: Path, put: Put
) -> None:
    """Only if it is given, and only if it is one."""
    put(KIT3)
    run_json("init", "--yes", "--answers", "/docs/api/answer")
    hooks, component = (
        (site / "src" / name).read_text() for name in ("hooks.server.js", "lib/searchsocket/Search.svelte")
    )
    assert "base: '/docs', paths: ['/api/answer', '/api/answer/*'] })" in hooks
    assert '<searchsocket-dialog endpoint="/docs/api/search" answers="/docs/api/answer">' in component
    assert (site / "src/lib/searchsocket/answers.js").is_file()
    assert run_json("init", "--yes", "--answers", "/docs/api/answer")["written"] == []
    for wrong in ("search.example", "//search.example", "javascript:alert(1)", "https://s.example/'>"):
        assert run("init", "--answers", wrong).exit_code == 2


@pytest.mark.parametrize("name", ["../victim", "{root}/victim", "link/victim"])
def test_undo_touches_nothing_outside_of_the_project(run: RunCli, site: Path, tmp_path: Path, name: str) -> None:
    """The record may come with a checkout: then nothing is undone, not even what is inside."""
    outside = site.parent
    for folder in (site, outside):
        (folder / "victim").write_text("known")
    (site / "link").symlink_to(outside)
    digests = {"before": None, "after": sha256(b"known").hexdigest()}
    (site / ".searchsocket").mkdir(exist_ok=True)
    record = {"victim": digests, name.format(root=outside): digests}
    (site / ".searchsocket/init.json").write_text(json.dumps(record))
    for arguments in (["--undo", "--yes"], ["--yes"]):
        result = run("init", *arguments)
        assert result.exit_code == 1
        assert "outside of the project; delete init.json" in result.stderr
    assert (site / "victim").read_text() == (outside / "victim").read_text() == "known"


def test_undo_lists_the_files_and_asks(run: RunCli, site: Path) -> None:
    """Without a terminal nobody answers, so nothing is undone."""
    (site / "mine.txt").write_text("known")
    (site / ".searchsocket").mkdir(exist_ok=True)
    record = {"mine.txt": {"before": None, "after": sha256(b"known").hexdigest()}}
    (site / ".searchsocket/init.json").write_text(json.dumps(record))
    result = run("init", "--undo")
    assert result.exit_code == 1
    assert "  mine.txt\nRestore or delete them?" in result.stderr
    assert (site / "mine.txt").exists()
    assert run("init", "--undo", "--yes").exit_code == 0
    assert not (site / "mine.txt").exists()


def test_a_site_without_a_server_asks_the_service_itself(run: RunCli, run_json: RunJson, site: Path, put: Put) -> None:
    put(STATIC)
    report = run_json("init", "--yes", "--service", "https://search.example.com/")
    assert report["site"]["hasServer"] is False
    assert not list((site / "src").glob("hooks*"))
    component = (site / "src/lib/searchsocket/Search.svelte").read_text()
    assert 'endpoint="https://search.example.com/api/search"' in component
    assert "http://localhost:4173" in load_settings(site, {}).api.cors.allow_origins
    assert "this site has no server" in run("init").stdout


def test_a_static_site_needs_no_service(run: RunCli, run_json: RunJson, site: Path, put: Put) -> None:
    put(STATIC | {"package.json": '{\n  "scripts": {\n    "build": "vite build"\n  }\n}\n'})
    report = run_json("init", "--yes", "--static")
    assert 'static="/searchsocket/"' in (site / "src/lib/searchsocket/Search.svelte").read_text()
    assert '"postbuild": "node searchsocket-build.mjs"' in (site / "package.json").read_text()
    assert "['export', 'build/searchsocket']" in (site / "searchsocket-build.mjs").read_text()
    assert report["afterBuild"] == ["searchsocket index", "searchsocket export build/searchsocket"]
    assert not [note for note in report["notes"] if "service" in note]
    assert load_settings(site, {}).api.cors.allow_origins == ()
    again = run("init", "--static").stdout
    assert "npm run build  # builds, indexes and exports" in again
    assert again.count("Already set up. Nothing to change.") == 1


def test_a_site_without_one_prerendered_page_is_told_so(run_json: RunJson, site: Path, put: Put) -> None:
    """As the framework's creator makes it: there would be nothing to index after a build."""
    shutil.rmtree(site / "build")
    put(KIT2)
    (note,) = run_json("init", "--yes")["notes"]
    assert "Add `export const prerender = true;` to src/routes/+layout.js" in note
    put({"src/routes/docs/+page.js": "export const prerender = true;\n"})
    assert run_json("init")["notes"] == []


def test_later_edits_survive_an_undo(run_json: RunJson, site: Path, put: Put) -> None:
    put(KIT2)
    run_json("init", "--yes")
    component = site / "src/lib/searchsocket/Search.svelte"
    component.write_text("<b>mine</b>")
    again = run_json("init", "--yes")
    assert again["written"] == []
    assert "Search.svelte was edited" in again["notes"][0]
    assert run_json("init", "--undo")["kept"] == ["src/lib/searchsocket/Search.svelte"]
    assert component.read_text() == "<b>mine</b>"


def test_a_copy_of_an_older_version_is_brought_up_to_date(run_json: RunJson, site: Path, put: Put) -> None:
    put(KIT2)
    run_json("init", "--yes")
    shutil.rmtree(site / ".searchsocket")  # as in the clone of a colleague
    handle = site / "src/lib/searchsocket/handle.js"
    whole = handle.read_text()
    handle.write_text(whole.replace("// searchsocket ", "// searchsocket 0.0.", 1))
    assert run_json("init", "--yes")["written"] == ["src/lib/searchsocket/handle.js"]
    assert handle.read_text() == whole


def test_hooks_that_are_not_understood_are_shown_to_paste(run: RunCli, site: Path, put: Put) -> None:
    put(KIT2 | {"src/hooks.server.ts": "export { handle } from './other';\n"})
    result = run("init", "--yes")
    assert "Add this to src/hooks.server.ts yourself" in result.stdout
    assert "sequence(searchsocketHandle({ markdown: true }), yours)" in result.stdout
    assert (site / "src/hooks.server.ts").read_text() == "export { handle } from './other';\n"


def test_a_file_outside_of_the_project_is_not_followed(run: RunCli, site: Path, put: Put, tmp_path: Path) -> None:
    put(KIT2)
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.rmtree(site / "src/routes", ignore_errors=True)
    (site / "src/lib").parent.mkdir(exist_ok=True)
    (site / "src/lib").symlink_to(outside)
    before = tree(site)
    result = run("init", "--yes")
    assert result.exit_code != 0
    assert "is a symbolic link out of the project" in result.stderr
    assert tree(site) == before
    assert not list(outside.iterdir())


def test_other_frameworks_get_a_line_that_loads_search(run_json: RunJson, site: Path, put: Put) -> None:
    put({"mkdocs.yml": "site_name: Fjord\n"})
    report = run_json("init", "--yes")
    assert report["site"]["framework"] == "MkDocs"
    assert "http://localhost:8000" in load_settings(site, {}).api.cors.allow_origins
    assert (site / "docs/searchsocket/search.js").read_text().count("http://127.0.0.1:8181/api/search") == 1
    assert "searchsocket/search.js" in (site / "mkdocs.yml").read_text()


IN_THEMES = {
    "Docusaurus": (
        {"docusaurus.config.js": "module.exports = {\n  title: 'A',\n};\n"},
        {
            "docusaurus.config.js",
            *(f"searchsocket/{name}" for name in ("components.mjs", "index.js", "search.css", "theme/SearchBar.js")),
        },
    ),
    "Starlight": (
        {"astro.config.mjs": "import starlight from '@astrojs/starlight';\nexport default { i: [starlight({})] };\n"},
        {"astro.config.mjs", "src/searchsocket/Search.astro", "src/searchsocket/components.js"},
    ),
    "VitePress": (
        {"docs/.vitepress/config.mjs": "export default { title: 'A' };\n"},
        {
            "docs/.vitepress/theme/index.js",
            *(f"docs/.vitepress/searchsocket/{name}" for name in ("components.js", "search.css", "search.js")),
        },
    ),
    "MkDocs": (
        {"mkdocs.yml": "site_name: A\ntheme:\n  name: material\n"},
        {"mkdocs.yml", "docs/searchsocket/components.js", "overrides/partials/search.html"},
    ),
    "mdBook": (
        {"book.toml": "[book]\n"},
        {"book.toml", "src/searchsocket/components.js", "src/searchsocket/search.js", "theme/head.hbs"},
    ),
}


@pytest.mark.parametrize("framework", IN_THEMES)
def test_search_takes_the_place_of_the_themes_own(run_json: RunJson, site: Path, put: Put, framework: str) -> None:
    """Once, for another service by running it again, and not at all when it is undone."""
    files, written = IN_THEMES[framework]
    put(files)
    before = tree(site)
    report = run_json("init", "--yes")
    assert report["site"]["framework"] == framework
    assert report["byHand"] == []
    assert set(report["written"]) == written | {"searchsocket.toml", ".gitignore"}
    assert run_json("init", "--yes")["written"] == []
    moved = run_json("init", "--yes", "--service", "https://search.example.com")["written"]
    assert [name for name in moved if "https://search.example.com/api/search" not in (site / name).read_text()] == []
    assert len(moved) == 1
    run_json("init", "--undo")
    assert tree(site) == before


@pytest.mark.parametrize("files", [{}, {"conf.py": "extensions = ['sphinx.ext.autodoc']\n"}], ids=["none", "Sphinx"])
def test_without_a_place_for_it_the_lines_for_pages_and_a_web_server_are_printed(
    run: RunCli, site: Path, put: Put, files: dict[str, str]
) -> None:
    """As they are documented, and tried with a real nginx."""
    put(files)
    documented = (ROOT / "examples/docs-site/src/routes/(docs)/docs/api/+page.md").read_text(encoding="utf-8")
    printed = run("init", "--yes").stdout
    for language in ("nginx", "toml"):
        block = documented.partition("## Behind a web server")[2].partition(f"```{language}\n")[2].partition("```")[0]
        assert block in printed
    assert '<searchsocket-dialog endpoint="http://127.0.0.1:8181/api/search"></searchsocket-dialog>' in printed
    (component,) = re.findall(r"copy (\S+/components\.js) to", printed)
    assert Path(component).is_file()
    assert load_settings(site, {}) == Settings(project=ProjectSettings(id="harbour"))
    assert (site / ".gitignore").read_text() == ".searchsocket/\n"


def test_without_the_extension_for_files_only_the_service_is_offered(site: Path) -> None:
    result = CliRunner().invoke(init, ["--project", str(site), "--no-node"])
    assert "\nNext:\n  searchsocket index\n" in result.stdout
    assert "searchsocket static" not in result.stdout
    assert CliRunner().invoke(init, ["--static"]).exit_code == 2


def test_a_configuration_that_is_there_is_left_and_what_it_lacks_is_shown(
    run_json: RunJson, site: Path, put: Put
) -> None:
    put(KIT2 | {"searchsocket.toml": "[scope]\nfixed = 'mine'\n", ".gitignore": "node_modules"})
    report = run_json("init", "--yes")
    assert (site / "searchsocket.toml").read_text() == "[scope]\nfixed = 'mine'\n"
    assert (site / ".gitignore").read_text() == "node_modules\n.searchsocket/\n"
    assert report["byHand"][0]["text"] == '[api]\ntrusted_proxies = ["127.0.0.1"]\n'
    (site / "searchsocket.toml").unlink()
    put({"pyproject.toml": "[tool.searchsocket.scope]\nfixed = 'mine'\n"})
    run_json("init", "--yes")
    assert load_settings(site, {}).scope.fixed == "mine"


@pytest.mark.parametrize("name", ["harbour", "@docs/h\u00e4fen", 'a "quoted" \\ name'])
def test_a_renamed_package_stays_one_project(run_json: RunJson, site: Path, put: Put, name: str) -> None:
    """Init pins the id in a new configuration, and undoing that restores the old rule."""
    put({"package.json": json.dumps({"name": name})})
    assert "searchsocket.toml" in run_json("init", "--yes")["written"]
    put({"package.json": '{"name": "renamed"}'})
    assert open_project(site, {}).id == name
    assert run_json("init", "--yes")["written"] == []
    assert "searchsocket.toml" in run_json("init", "--undo")["removed"]
    assert open_project(site, {}).id == "renamed"


def test_every_line_of_the_configuration_is_a_key_that_exists(run: RunCli, site: Path) -> None:
    """Also those that are commented out."""
    run("init", "--yes")
    text = (site / "searchsocket.toml").read_text()
    lines = [line.removeprefix("# ") if " = " in line else line for line in text.splitlines()[1:]]
    Settings.model_validate(json.loads(json.dumps(tomllib.loads("\n".join(lines)))), strict=False)


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("node"), reason="no node on this machine")
def test_vite_is_asked_where_it_is_installed(run_json: RunJson, site: Path, put: Put) -> None:
    """A Vite of the test's own answers: what counts is its word, and not what the files seem to say."""
    files = "files: { routes: `${process.cwd()}/pages` }"
    kit = f"adapter: {{ name: '@sveltejs/adapter-static' }}, paths: {{ base: '/asked' }}, {files}"
    plugin = f"{{ name: 'vite-plugin-sveltekit-setup', api: {{ options: {{ kit: {{ {kit} }} }} }} }}"
    put(KIT2 | {
        "node_modules/vite/package.json": '{"name": "vite", "type": "module", "exports": "./index.js"}',
        "node_modules/vite/index.js": f"export const resolveConfig = async () => ({{ plugins: [{plugin}] }});",
    })  # fmt: skip
    report = run_json("init")
    assert report["site"] | {"build": ""} == {
        "framework": "SvelteKit", "version": "", "adapter": "@sveltejs/adapter-static", "hasServer": False,
        "basePath": "/asked", "build": "", "isBuilt": True, "deployed": "", "askedVite": True,
        "versions": [],
    } | {"version": report["site"]["version"]}  # fmt: skip
    assert "pages/+layout.svelte" in {change["file"] for change in report["changes"]}
    (site / "node_modules").rename(site.parent / "node_modules")
    assert run_json("init")["site"]["basePath"] == "/asked", "packages of a repository share one folder above"
    (site.parent / "node_modules").rename(site / "node_modules")
    put({"node_modules/vite/index.js": "throw new Error('broken');"})
    assert "broken" in " ".join(run_json("init")["notUnderstood"])
    assert run_json("init", "--no-node")["site"]["askedVite"] is False


def test_init_prints_the_lines_of_the_host(run: RunCli, site: Path) -> None:
    (site / "netlify.toml").write_text("")
    (site / "mkdocs.yml").write_text("site_name: Docs\n")
    output = run("init", "--static", "--no-node").stdout.partition("On Netlify, in netlify.toml:\n\n")[2]
    command = tomllib.loads(output)["build"]["command"]
    assert command.startswith("pip install searchsocket && mkdocs build && searchsocket index && searchsocket export ")


@pytest.mark.skipif(not shutil.which("node"), reason="no node on this machine")
@pytest.mark.parametrize(("environ", "status"), [({}, 0), ({"CI_STRICT": "1"}, 1)], ids=["usual", "strict"])
def test_a_build_without_the_command_says_what_to_install(
    run: RunCli, site: Path, put: Put, environ: dict[str, str], status: int
) -> None:
    """The step after the build, in a shell whose PATH lacks searchsocket: the site itself is still built."""
    put(STATIC | {"package.json": '{\n  "scripts": {\n    "build": "vite build"\n  }\n}\n'})
    run("init", "--static", "--yes", "--no-node")
    node = shutil.which("node")
    assert node
    result = subprocess.run(
        [node, site / "searchsocket-build.mjs"],
        cwd="/",
        env={**environ, "PATH": "/nowhere"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == status
    assert "searchsocket is not installed: pip install searchsocket" in result.stderr


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("node"), reason="no node on this machine")
def test_the_step_of_a_package_indexes_and_exports_in_the_project(run: RunCli, site: Path, put: Put) -> None:
    """A package of a repository, whose settings are in the folder above; a failed command fails the build."""
    config = "export default {\n  title: 'A',\n};\n"
    put({"website/docusaurus.config.js": config, "website/package.json": '{"scripts": {"build": "docusaurus build"}}'})
    assert run("init", "--static", "--yes").exit_code == 0
    command = site / "bin/searchsocket"
    put({"bin/searchsocket": '#!/bin/sh\necho "$PWD: $*" >> "$LOG"\ntest "$1" != export\n'})
    command.chmod(0o755)
    environ = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}", "LOG": str(site / "log")}
    result = subprocess.run(["node", "website/searchsocket-build.mjs"], cwd=site, env=environ)
    assert result.returncode == 1
    words = ["--version", "index", "export website/build/searchsocket"]
    assert (site / "log").read_text().splitlines() == [f"{site.resolve()}: {line}" for line in words]


@pytest.mark.parametrize(
    ("adapter", "deployed"),
    [
        ("@sveltejs/adapter-static", "build"),
        ("@sveltejs/adapter-node", "build/client"),
        ("@sveltejs/adapter-vercel", ".vercel/output/static"),
        ("@sveltejs/adapter-auto", ""),
    ],
)
@pytest.mark.parametrize("remaining", [[], [".svelte-kit/output/prerendered/pages"], ["build/prerendered", "build"]])
def test_the_export_is_in_the_folder_that_is_deployed(
    run_json: RunJson, site: Path, put: Put, adapter: str, deployed: str, remaining: list[str]
) -> None:
    """Also before the first build, and after one of another adapter or one whose output was removed."""
    shutil.rmtree(site / "build")
    put({name: text.replace("@sveltejs/adapter-node", adapter) for name, text in KIT3.items()})
    put(
        {f"{folder}/index.html": "<h1>A</h1>" for folder in remaining} | {"package.json": '{"scripts": {"build": "a"}}'}
    )
    report = run_json("init", "--static", "--yes", "--no-node")
    assert report["site"]["deployed"] == deployed
    assert ("searchsocket-build.mjs" in report["written"]) == bool(deployed)
    assert report["afterBuild"][-1] == f"searchsocket export {deployed or 'FOLDER'}/searchsocket"
    assert bool(deployed) == (not [note for note in report["notes"] if "folder that your host publishes" in note])


def test_a_second_init_corrects_what_an_earlier_release_wrote(run_json: RunJson, site: Path, put: Put) -> None:
    put(STATIC | {
        "package.json": '{"scripts": {"build": "vite build", "postbuild": "searchsocket index && '
        'searchsocket export build/prerendered/searchsocket"}}'
    })  # fmt: skip
    assert {"package.json", "searchsocket-build.mjs"} <= set(run_json("init", "--static", "--yes")["written"])
    assert "prerendered" not in (site / "package.json").read_text()


def test_files_of_an_earlier_release_without_a_record_are_renewed_or_named(
    run_json: RunJson, site: Path, put: Put
) -> None:
    """In the clone of a colleague: only the address differs, or somebody may have edited the file."""
    put(IN_THEMES["MkDocs"][0])
    run_json("init", "--yes", "--static")
    partial = site / "overrides/partials/search.html"
    own = partial.read_text()
    shutil.rmtree(site / ".searchsocket")
    partial.write_text(own.replace(" static>", ' static="/searchsocket/">'))
    assert run_json("init", "--yes", "--static")["written"] == ["overrides/partials/search.html"]
    assert partial.read_text() == own
    shutil.rmtree(site / ".searchsocket")
    partial.write_text(own.replace("0.26", "0.3"))
    (note,) = run_json("init", "--yes", "--static")["notes"]
    assert note.startswith("overrides/partials/search.html is not as this release writes it")
    partial.write_text("<b>mine</b>")
    (paste,) = run_json("init", "--yes", "--static")["byHand"]
    assert (paste["where"], paste["text"]) == ("overrides/partials/search.html", own)


def test_the_search_of_a_theme_stays_until_ours_is_shown(run_json: RunJson, site: Path, put: Put) -> None:
    """A theme whose layout init cannot extend: both edits are shown, and none is written."""
    theme, config = "docs/.vitepress/theme/index.js", "docs/.vitepress/config.js"
    put({
        config: "export default {\n  themeConfig: {\n    search: { provider: 'local' },\n  },\n};\n",
        theme: "import DefaultTheme from 'vitepress/theme';\nexport default { extends: DefaultTheme, Layout };\n",
    })  # fmt: skip
    report = run_json("init", "--yes")
    assert [paste["where"] for paste in report["byHand"]] == [theme, config]
    assert not {theme, config} & set(report["written"])


def test_a_repository_of_packages_is_told_where_its_site_is(run: RunCli, site: Path, put: Put) -> None:
    shutil.rmtree(site / "build")
    put({"apps/docs/astro.config.mjs": "", "apps/web/next.config.js": "", "node_modules/a/conf.py": ""})
    output = run("init").stdout
    assert "There is one in apps/docs/ (also: apps/web): cd apps/docs && searchsocket init" in output


@pytest.mark.parametrize("files", [{}, {"conf.py": ""}, {"hugo.toml": ""}], ids=["none", "Sphinx", "Hugo"])
def test_a_static_site_without_a_theme_gets_search_in_its_built_pages(
    run: RunCli, run_json: RunJson, site: Path, put: Put, files: dict[str, str]
) -> None:
    put(files)
    folder = {"hugo.toml": "public", "conf.py": "_build/html"}.get("".join(files), "build")
    report = run_json("init", "--static", "--yes")
    assert report["afterBuild"] == [f"searchsocket static {folder}"]
    assert (set(report["written"]), report["byHand"]) == ({"searchsocket.toml", ".gitignore"}, [])
    output = run("init", "--static").stdout
    assert output.count("No site generator found; indexing the HTML files in build/") == (not files)
    assert f"  searchsocket static {folder}  # adds it to all pages\n" in output
