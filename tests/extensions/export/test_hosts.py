"""Hosts of static files: which one a project uses, and lines that work as they are printed."""

import json
import tomllib
from pathlib import Path

import pytest
import yaml

from searchsocket.extensions.export.after_build import HOSTS, SERVER, Host, StaticBuild, detect_host

PAGE = Path(__file__).parents[3] / "examples/docs-site/src/content/recipes/static-hosts.md"
ONE_STEP = StaticBuild("npm run build", "build", "build/searchsocket", is_one_step=True)
STEPS = "mkdocs build && searchsocket index && searchsocket export site/searchsocket"
THREE_STEPS = StaticBuild(STEPS, "site", "site/searchsocket", is_one_step=False)
BY_NAME = {host.name: host for host in HOSTS}
each_host = pytest.mark.parametrize("host", [*HOSTS, SERVER], ids=lambda host: host.name)


@each_host
def test_the_documentation_has_the_same_lines(host: Host) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert host.lines(ONE_STEP) in text
    assert host.name != "GitHub Pages" or host.lines(THREE_STEPS) in text


@each_host
@pytest.mark.parametrize("build", [ONE_STEP, THREE_STEPS], ids=["npm", "mkdocs"])
def test_the_lines_install_build_and_name_the_folder(host: Host, build: StaticBuild) -> None:
    lines = host.lines(build)
    assert "install searchsocket" in lines or "uses: searchsocket/searchsocket@" in lines
    if host.name != "GitHub Pages":  # its workflow builds the site already
        assert build.command in lines
        assert build.folder in lines.replace(build.command, "")


def test_each_format_can_be_read() -> None:
    """The command reaches the host as it was typed, also with quotes."""
    build = StaticBuild(
        "(cd 'my docs' && npm run \"b\")", "my docs/build", "my docs/build/searchsocket", is_one_step=True
    )
    netlify = tomllib.loads(BY_NAME["Netlify"].lines(build))
    assert netlify["build"] == {
        "command": f"pip install searchsocket && {build.command}", "publish": build.folder,
        "environment": {"PYTHON_VERSION": "3.13"},
    }  # fmt: skip
    vercel = json.loads(BY_NAME["Vercel"].lines(build))
    assert vercel["installCommand"].startswith("(cd 'my docs' && npm install) && ")
    assert vercel["buildCommand"].endswith(build.command)
    pages = yaml.safe_load(BY_NAME["GitLab Pages"].lines(build))["pages"]
    assert pages["script"][-1] == build.command
    assert pages["pages"]["publish"] == build.folder
    assert yaml.safe_load(BY_NAME["GitHub Pages"].lines(build)) == [{"run": "pipx install searchsocket"}]


@pytest.mark.parametrize(
    ("files", "adapter", "name"),
    [
        ({"netlify.toml": ""}, "", "Netlify"),
        ({"wrangler.jsonc": "{}"}, "", "Cloudflare Pages"),
        ({"vercel.json": "{}"}, "@sveltejs/adapter-netlify", "Vercel"),
        ({".gitlab-ci.yml": "pages:\n  script: []\n"}, "", "GitLab Pages"),
        ({".gitlab-ci.yml": "test:\n  script: []\n"}, "", None),
        ({".github/workflows/site.yml": "steps:\n  - uses: actions/deploy-pages@v4\n"}, "", "GitHub Pages"),
        ({".github/workflows/ci.yml": "steps: []\n"}, "", None),
        ({}, "@sveltejs/adapter-cloudflare", "Cloudflare Pages"),
        ({}, "", None),
    ],
)
def test_the_files_of_a_project_name_its_host(
    files: dict[str, str], adapter: str, name: str | None, tmp_path: Path
) -> None:
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    host = detect_host(tmp_path, adapter)
    assert (host and host.name) == name
