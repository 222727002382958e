"""Changes that `searchsocket init` would make, and steps for the user."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from searchsocket.setup.changes import Change, distinct
from searchsocket.setup.client_files import component_files
from searchsocket.setup.configuration import NAME, configuration, ignored, is_configured, missing_lines
from searchsocket.setup.draft import Ours, Paste, Plan, ReadText
from searchsocket.setup.frameworks import FRAMEWORKS, Framework
from searchsocket.setup.integration import Place
from searchsocket.setup.kit import in_svelte_kit
from searchsocket.setup.site import SiteFacts, reader


def in_theme(
    read: ReadText, facts: SiteFacts, framework: Framework, place: Place, made: Plan, ours: Ours
) -> Iterator[Change]:
    """The component, and what shows it in the theme of a framework."""
    search = framework.integrate(read, facts, place)
    component = {f"{search.component}/{name}": text for name, text in component_files(facts.languages)}
    for name, text in {**component, **search.files}.items():
        yield made.own(name, read(name), text, ours)
    for edit in search.edits:
        old = read(edit.path)
        if edit.mark in (old or ""):
            continue
        changed = edit.change(old or "")
        if changed is None:
            made.pastes.append(Paste(edit.path, edit.paste, edit.why or f"{edit.path} could not be parsed"))
        elif changed or old is not None:
            yield Change(edit.path, old, changed)


EXPORT = "searchsocket"  # folder of the built site


def export_command(build: str) -> str:
    """The command that adds search to a built site."""
    return f"searchsocket export {shlex.quote(f'{build}/{EXPORT}')}"


def with_export_step(package: str, build: str, name: str = "build") -> str | None:
    """A `package.json` that exports after each build; None if it has no such script, or one that runs after it.

    Args:
        name: Of the script that builds the site.
    """
    script = re.compile(rf'^([ \t]*)"{re.escape(name)}"\s*:\s*"(?:[^"\\\n]|\\.)*"', re.MULTILINE)
    if len(script.findall(package)) != 1 or f'"post{name}"' in package:
        return None
    step = json.dumps(f"searchsocket index && {export_command(build)}")
    return script.sub(lambda match: f'{match[0]},\n{match[1]}"post{name}": {step}', package)


def _build_script(facts: SiteFacts) -> str:
    """The script of `package.json` that builds the site, as in `npm run docs:build`."""
    named = re.fullmatch(r"(?:npm|pnpm|yarn) run ([\w:.-]+)", facts.build_command)
    return named[1] if named else "build"


SERVICE = "http://127.0.0.1:8181"
_KIT_PORTS = (4173, 5173)


def plan(
    root: Path,
    facts: SiteFacts,
    project_id: str,
    *,
    default_branch: str = "",
    service: str = "",
    ours: Ours = lambda name, text: False,
    markdown: bool = True,
    static: bool = False,
) -> Plan:
    """The changes of a site.

    Args:
        project_id: The id that a new configuration pins.
        default_branch: The repository's, whose index visitors search; "" outside git.
        service: The address of `searchsocket serve` for browsers; "" = the usual one, or that of the site itself.
        ours: As of `Ours`.
        markdown: Whether agents are given pages as Markdown by the site's server.
        static: Whether visitors search an export, without a service.
    """
    made = Plan(facts)
    read = reader(root)
    changes = [ignored(read)]
    asks_itself = not facts.has_server and not static
    address = service.rstrip("/") or SERVICE
    place = Place("static", f"{facts.base}/{EXPORT}/") if static else Place("endpoint", f"{address}/api/search")
    ports = _KIT_PORTS if facts.framework == "SvelteKit" else _ports(facts)
    local = (f"http://{host}:{port}" for port in ports for host in ("localhost", "127.0.0.1"))
    origins = (*([facts.origin] if facts.origin else []), *local)
    changes += _configured(read, facts, origins if asks_itself and ports else (), project_id, default_branch, made)
    if facts.framework == "SvelteKit":
        changes += in_svelte_kit(read, facts, place if static or asks_itself else None, made, ours, markdown)
    elif framework := FRAMEWORKS.get(facts.framework):
        changes += in_theme(read, facts, framework, place, made, ours)
    if static and (step := with_export_step(read("package.json") or "", facts.build, _build_script(facts))):
        changes.append(Change("package.json", read("package.json"), step))
    if asks_itself and ports:
        made.notes.append(
            f"this site has no server, so browsers call {address}. Before you deploy, set the service URL "
            "(`searchsocket init --service https://…`)"
            + ("" if facts.origin else ", and add your site to api.cors.allow_origins")
        )
    if not facts.prerenders:
        made.notes.append(
            f"no page in {facts.routes}/ is prerendered, so the build contains no pages to index. Add `export "
            f"const prerender = true;` to {facts.routes}/+layout.{'ts' if read('tsconfig.json') else 'js'}, or "
            'index the running site (source.mode = "crawl")'
        )
    made.changes = distinct(changes)
    return made


def _ports(facts: SiteFacts) -> tuple[int, ...]:
    return FRAMEWORKS[facts.framework].preview if facts.framework in FRAMEWORKS else ()


def _configured(
    read: ReadText, facts: SiteFacts, origins: tuple[str, ...], project_id: str, default_branch: str, made: Plan
) -> Iterator[Change]:
    if not is_configured(read):
        yield Change(NAME, None, configuration(facts, origins, project_id, default_branch))
        if default_branch:
            made.notes.append(
                "each branch gets its own index: `searchsocket index` builds the one of your current branch. Visitors "
                f"search {default_branch} (api.scopes)"
            )
    elif lines := missing_lines(read(NAME) or "", facts, origins):
        made.pastes.append(Paste(NAME, lines, "the file already exists"))
