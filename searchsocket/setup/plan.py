"""Plan the changes of `searchsocket init`, and the steps for the user."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from searchsocket.setup.changes import Change, Ours, Paste, Plan, ReadText, distinct
from searchsocket.setup.client_files import component_files
from searchsocket.setup.configuration import NAME, configuration, gitignore_change, is_configured, missing_lines
from searchsocket.setup.frameworks import FRAMEWORKS, Framework
from searchsocket.setup.integration import AnswerSource
from searchsocket.setup.kit import in_svelte_kit
from searchsocket.setup.site import SiteFacts, reader


def in_theme(
    read: ReadText, facts: SiteFacts, framework: Framework, answer_source: AnswerSource, draft: Plan, ours: Ours
) -> Iterator[Change]:
    """Yield the changes that add the component to the theme of a framework."""
    search = framework.integrate(read, facts, answer_source)
    component = {f"{search.component}/{name}": text for name, text in component_files(facts.languages)}
    for name, text in {**component, **search.files}.items():
        yield draft.own(name, read(name), text, ours)
    for edit in search.edits:
        old = read(edit.path)
        if edit.mark in (old or ""):
            continue
        new_text = edit.change(old or "")
        if new_text is None:
            draft.pastes.append(Paste(edit.path, edit.paste, edit.why or f"{edit.path} could not be parsed"))
        elif new_text or old is not None:
            yield Change(edit.path, old, new_text)


EXPORT = "searchsocket"  # folder of the built site


def export_command(build: str) -> str:
    """Return the command that adds search to a built site."""
    return f"searchsocket export {shlex.quote(f'{build}/{EXPORT}')}"


def with_export_step(package: str, build: str, name: str = "build") -> str | None:
    """Add an export after each build to a `package.json`.

    Return None if the build script does not exist, or another script already runs after it.

    Args:
        name: Name of the script that builds the site.
    """
    script = re.compile(rf'^([ \t]*)"{re.escape(name)}"\s*:\s*"(?:[^"\\\n]|\\.)*"', re.MULTILINE)
    if len(script.findall(package)) != 1 or f'"post{name}"' in package:
        return None
    step = json.dumps(f"searchsocket index && {export_command(build)}")
    return script.sub(lambda match: f'{match[0]},\n{match[1]}"post{name}": {step}', package)


def _build_script(facts: SiteFacts) -> str:
    """Return the script of `package.json` that builds the site, as in `npm run docs:build`."""
    match = re.fullmatch(r"(?:npm|pnpm|yarn) run ([\w:.-]+)", facts.build_command)
    return match[1] if match else "build"


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
    """Plan the changes of a site.

    Args:
        project_id: Id of the project in a new configuration.
        default_branch: Default branch of the repository, whose index visitors search; "" outside git.
        service: URL of `searchsocket serve` for browsers; "": `SERVICE`, or the site itself if it has a server.
        ours: See `Ours`.
        markdown: True if the site's server returns pages as Markdown to agents.
        static: True if visitors search an export, without a service.
    """
    draft = Plan(facts)
    read = reader(root)
    changes = [gitignore_change(read)]
    calls_service = not facts.has_server and not static
    address = service.rstrip("/") or SERVICE
    answer_source = (
        AnswerSource("static", f"{facts.base}/{EXPORT}/")
        if static
        else AnswerSource("endpoint", f"{address}/api/search")
    )
    ports = _KIT_PORTS if facts.framework == "SvelteKit" else _ports(facts)
    local = (f"http://{host}:{port}" for port in ports for host in ("localhost", "127.0.0.1"))
    origins = (*([facts.origin] if facts.origin else []), *local)
    changes += _configuration_changes(
        read, facts, origins if calls_service and ports else (), project_id, default_branch, draft
    )
    if facts.framework == "SvelteKit":
        changes += in_svelte_kit(read, facts, answer_source if static or calls_service else None, draft, ours, markdown)
    elif framework := FRAMEWORKS.get(facts.framework):
        changes += in_theme(read, facts, framework, answer_source, draft, ours)
    if static and (step := with_export_step(read("package.json") or "", facts.build, _build_script(facts))):
        changes.append(Change("package.json", read("package.json"), step))
    if calls_service and ports:
        draft.notes.append(
            f"this site has no server, so browsers call {address}. Before you deploy, set the service URL "
            "(`searchsocket init --service https://…`)"
            + ("" if facts.origin else ", and add your site to api.cors.allow_origins")
        )
    if not facts.prerenders:
        draft.notes.append(
            f"no page in {facts.routes}/ is prerendered, so the build contains no pages to index. Add `export "
            f"const prerender = true;` to {facts.routes}/+layout.{'ts' if read('tsconfig.json') else 'js'}, or "
            'index the running site (source.mode = "crawl")'
        )
    draft.changes = distinct(changes)
    return draft


def _ports(facts: SiteFacts) -> tuple[int, ...]:
    return FRAMEWORKS[facts.framework].preview if facts.framework in FRAMEWORKS else ()


def _configuration_changes(
    read: ReadText, facts: SiteFacts, origins: tuple[str, ...], project_id: str, default_branch: str, draft: Plan
) -> Iterator[Change]:
    if not is_configured(read):
        yield Change(NAME, None, configuration(facts, origins, project_id, default_branch))
        if default_branch:
            draft.notes.append(
                "each branch gets its own index: `searchsocket index` builds the one of your current branch. Visitors "
                f"search {default_branch} (api.scopes)"
            )
    elif lines := missing_lines(read(NAME) or "", facts, origins):
        draft.pastes.append(Paste(NAME, lines, "the file already exists"))
