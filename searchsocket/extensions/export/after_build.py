"""Commands that add search to a built site after each build: a step of `package.json`, and lines for hosts of files."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import join, relpath

from searchsocket import __version__
from searchsocket.extensions.export.built_pages import FOLDER
from searchsocket.setup.build import ReadText, runs_post_scripts
from searchsocket.setup.changes import Change, Ours, Paste, Plan, template
from searchsocket.setup.frameworks import FRAMEWORKS
from searchsocket.setup.site import SiteFacts

TEMPLATES = Path(__file__).with_name("templates")
FILE = "searchsocket-build.mjs"
_UNKNOWN = "FOLDER"  # stands for the folder that init could not determine
# The step that earlier releases wrote, also without its first command.
_OLD_STEP = re.compile(
    r"(?:\(searchsocket --version \|\| \(echo [^)]*\)\) && )?"
    r"searchsocket index && searchsocket export (?:'[^']*'|[^\s\"'&;|]+)"
)

_PYTHON = "3.13"  # of builds on hosts that let a project choose
_MAX_BYTES = 200_000


def puts_search_into_pages(facts: SiteFacts) -> bool:
    """Return True if `searchsocket static` adds search to the built pages, because no theme can contain it."""
    framework = FRAMEWORKS.get(facts.framework)
    return facts.framework != "SvelteKit" and not (framework and framework.has_theme)


def commands(facts: SiteFacts, answers: str = "") -> tuple[tuple[str, ...], ...]:
    """Return the arguments of the `searchsocket` commands after each build; `answers` as in `plan`."""
    folder = facts.deployed or _UNKNOWN
    if puts_search_into_pages(facts):
        return (("static", folder, *(("--answers", answers) if answers else ())),)
    return (("index",), ("export", f"{folder}/{FOLDER}"))


def step_changes(read: ReadText, facts: SiteFacts, draft: Plan, ours: Ours, answers: str = "") -> Iterator[Change]:
    """Yield the changes that make the site's own build run the commands; set the fields of the plan about them.

    Args:
        answers: As in `plan`.
    """
    draft.steps = tuple(f"searchsocket {shlex.join(arguments)}" for arguments in commands(facts, answers))
    if not facts.deployed:
        draft.notes.append(
            f"init could not determine the folder that your host publishes. After each build, run `{draft.steps[-1]}`, "
            f"with that folder for {_UNKNOWN}"
        )
        return
    if not facts.command.script:
        return
    home = facts.command.package
    name, package = join(home, "package.json"), read(join(home, "package.json")) or ""
    runner = "bun" if facts.command.manager == "bun" else "node"
    step = f"{runner} {FILE}"
    new_package = with_build_step(package, facts.command.script, step, is_post=runs_post_scripts(read, facts.command))
    if new_package is None:
        draft.pastes.append(Paste(name, f"{step}\n", f"run it at the end of the script {facts.command.script}"))
        return
    draft.is_one_step = True
    path = join(home, FILE)
    yield draft.own(path, read(path), script(facts, home, answers), ours)
    yield Change(name, package, new_package)


def script(facts: SiteFacts, home: str, answers: str = "") -> str:
    """Return the program that runs the commands; without searchsocket it explains itself and does not fail the build.

    Args:
        home: Its folder, project-relative.
    """
    root = "./" if not home else f"{relpath('.', home)}/"
    lists = ",\n  ".join(json.dumps(arguments).replace('"', "'") for arguments in commands(facts, answers))
    return template("after-build.mjs", TEMPLATES, build_script=facts.command.script, root=root, lists=lists)


def with_build_step(package: str, name: str, step: str, *, is_post: bool = True) -> str | None:
    """Add a step after each build to a `package.json`, or correct that of an earlier release.

    Return None if the build script is not there exactly once.

    Args:
        name: Name of the script that builds the site.
        is_post: True if the package manager runs `postbuild` after `build`.
    """
    build, post = _script_of(package, name), _script_of(package, f"post{name}")
    if build is None:
        return None
    for found in filter(None, (build, post)):
        if step in found["value"]:
            return package
        if _OLD_STEP.search(found["value"]):
            return _replaced(package, found, _OLD_STEP.sub(lambda _: step, found["value"], count=1))
    if post is not None and is_post:
        return _replaced(package, post, f"{post['value']} && {step}" if post["value"] else step)
    if not is_post:
        return _replaced(package, build, f"{build['value']} && {step}")
    at = build.end()
    return f'{package[:at]},{build["space"]}"post{name}": "{step}"{package[at:]}'


def _script_of(package: str, name: str) -> re.Match[str] | None:
    """Return the match of a script's line in a `package.json`; None if there is no such line, or several."""
    pattern = rf'(?P<space>\s*)"{re.escape(name)}"\s*:\s*"(?P<value>(?:[^"\\\n]|\\.)*)"'
    scripts = re.search(r'"scripts"\s*:\s*\{', package)
    matches = [*re.compile(pattern).finditer(package, scripts.end())] if scripts else []
    return matches[0] if len(matches) == 1 else None


def _replaced(package: str, script: re.Match[str], value: str) -> str:
    return package[: script.start("value")] + value + package[script.end("value") :]


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
