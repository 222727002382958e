"""Lines that make a host of static files build search into a site: `searchsocket init --static` prints them."""

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from searchsocket import __version__
from searchsocket.extensions.export.after_build import TEMPLATES
from searchsocket.setup.changes import template

_PYTHON = "3.13"  # of builds on hosts that let a project choose
_MAX_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class StaticBuild:
    """Build of a site with search."""

    command: str  # builds the site, indexes it and exports the index
    folder: str  # of the built site
    export: str  # of the index, in that folder; "" if the command adds search to the pages
    is_one_step: bool  # the site's own build also indexes and exports

    @property
    def package_installer(self) -> str:
        """Command that installs the packages of a site with scripts in `package.json`; "" for others."""
        match = re.match(r"(\(cd [^&]+ && )?(?:(npm|pnpm|yarn|bun) run|npx) ", self.command)
        return f"{match[1] or ''}{match[2] or 'npm'} install{')' if match[1] else ''}" if match else ""


@dataclass(frozen=True, slots=True)
class Host:
    """A host of static files."""

    name: str
    place: str  # of its settings: "in FILE"
    lines: Callable[[StaticBuild], str]
    files: tuple[str, ...] = ()  # one of them shows that a project uses the host
    mark: str = ""  # and contains this expression


def _netlify(build: StaticBuild) -> str:
    command = json.dumps(f"pip install searchsocket && {build.command}")
    return template("netlify.toml", TEMPLATES, command=command, folder=json.dumps(build.folder), python=_PYTHON)


def _cloudflare(build: StaticBuild) -> str:
    return f"""\
Build command:           pip install searchsocket && {build.command}
Build output directory:  {build.folder}
Environment variable:    PYTHON_VERSION = {_PYTHON}
"""


def _vercel(build: StaticBuild) -> str:
    install = " && ".join(filter(None, (build.package_installer, "uv tool install searchsocket")))
    settings = {
        "installCommand": install,
        "buildCommand": f"export PATH=$HOME/.local/bin:$PATH && {build.command}",
        "outputDirectory": build.folder,
    }
    return json.dumps(settings, indent=2) + "\n"


def _github(build: StaticBuild) -> str:
    if build.is_one_step:
        return "- run: pipx install searchsocket # before the step that builds the site\n"
    if not build.export:
        step = f"pipx run searchsocket static {shlex.quote(build.folder)}"
        return f"- run: {step} # after the step that builds the site\n"
    return f"""\
- uses: searchsocket/searchsocket@v{__version__} # after the step that builds the site
  with:
    export: {build.export}
"""


def _gitlab(build: StaticBuild) -> str:
    prepare = (
        ["apt-get update && apt-get install -y pipx", "pipx install searchsocket", "export PATH=$HOME/.local/bin:$PATH"]
        if build.package_installer
        else ["pip install searchsocket"]
    )
    steps = "".join(f"    - {line}\n" for line in [*prepare, *filter(None, [build.package_installer]), build.command])
    image = "node:22" if build.package_installer else f"python:{_PYTHON}"
    return template("gitlab-ci.yml", TEMPLATES, image=image, steps=steps, folder=build.folder)


def _server(build: StaticBuild) -> str:
    return f"""\
pip install searchsocket
{build.command}
rsync -a --delete {build.folder}/ user@www.example.com:/var/www/site/
"""


HOSTS = (
    Host("Netlify", "in netlify.toml", _netlify, ("netlify.toml",)),
    Host(
        "Cloudflare Pages",
        "in the build settings of the project in the dashboard",
        _cloudflare,
        ("wrangler.toml", "wrangler.json", "wrangler.jsonc"),
    ),
    Host("Vercel", "in vercel.json", _vercel, ("vercel.json", ".vercel/project.json")),
    Host("GitLab Pages", "in .gitlab-ci.yml", _gitlab, (".gitlab-ci.yml",), r"^pages:|\bpages: *true|^ +pages:"),
    Host(
        "GitHub Pages",
        "in the workflow of .github/workflows that deploys the site",
        _github,
        (".github/workflows/*.yml", ".github/workflows/*.yaml"),
        r"actions/(deploy|upload)-pages|actions-gh-pages|github-pages-deploy-action|gh-deploy",
    ),
)
SERVER = Host("a server of your own", "from the machine that builds the site", _server)
_ADAPTERS: Mapping[str, str] = {
    "@sveltejs/adapter-netlify": "Netlify",
    "@sveltejs/adapter-cloudflare": "Cloudflare Pages",
    "@sveltejs/adapter-vercel": "Vercel",
}


def detect_host(root: Path, adapter: str = "") -> Host | None:
    """Return the host that a project's files name, otherwise that of SvelteKit's adapter; None if it is unknown."""
    for host in HOSTS:
        for path in sorted(path for pattern in host.files for path in root.glob(pattern)):
            if re.search(host.mark, _text(path), re.MULTILINE):
                return host
    return next((host for host in HOSTS if host.name == _ADAPTERS.get(adapter)), None)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
