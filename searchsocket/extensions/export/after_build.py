"""Commands that add search to a built site, and the step of `package.json` that runs them after each build."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from posixpath import join, relpath

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
