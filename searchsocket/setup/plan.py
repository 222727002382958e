"""Plan the changes of `searchsocket init`, with a new `searchsocket.toml`, and the steps for the user."""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from searchsocket.setup.after_build import EXPORT, puts_search_into_pages, step_changes
from searchsocket.setup.build import ReadText
from searchsocket.setup.changes import AnswerSource, Change, Ours, Paste, Plan, distinct
from searchsocket.setup.client_files import COMPONENT, component_files
from searchsocket.setup.frameworks import FRAMEWORKS, SCRIPT, Framework
from searchsocket.setup.kit import in_svelte_kit
from searchsocket.setup.site import SiteFacts, reader
from searchsocket.system.json_text import JsonObject
from searchsocket.web.urls.paths import normalise_prefix

NAME = "searchsocket.toml"
IGNORED = ".searchsocket/"
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
    answers: str = "",
) -> Plan:
    """Plan the changes of a site.

    Args:
        project_id: Id of the project in a new configuration.
        default_branch: Default branch of the repository, whose index visitors search; "" outside git.
        service: URL of `searchsocket serve` for browsers; "": `SERVICE`, or the site itself if it has a server.
        ours: See `Ours`.
        markdown: True if the site's server returns pages as Markdown to agents.
        static: True if visitors search an export, without a service.
        answers: Address of answers in sentences for browsers; "" = none.
    """
    draft = Plan(facts)
    read = reader(root)
    changes = [gitignore_change(read)]
    calls_service = not facts.has_server and not static
    address = service.rstrip("/") or SERVICE
    answer_source = (
        AnswerSource("static", f"{facts.base}/{EXPORT}/", answers)
        if static
        else AnswerSource("endpoint", f"{address if calls_service else facts.base}/api/search", answers)
    )
    ports = _KIT_PORTS if facts.framework == "SvelteKit" else _ports(facts)
    local = (f"http://{host}:{port}" for port in ports for host in ("localhost", "127.0.0.1"))
    origins = (*([facts.origin] if facts.origin else []), *local)
    changes += _configuration_changes(
        read, facts, origins if calls_service and ports else (), project_id, default_branch, draft
    )
    if facts.framework == "SvelteKit":
        changes += in_svelte_kit(read, facts, answer_source, draft, ours, markdown)
    elif (framework := FRAMEWORKS.get(facts.framework)) and not (static and puts_search_into_pages(facts)):
        changes += in_theme(read, facts, framework, answer_source, draft, ours)
    if static:
        changes += step_changes(read, facts, draft, ours, answers)
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


def in_theme(
    read: ReadText, facts: SiteFacts, framework: Framework, answer_source: AnswerSource, draft: Plan, ours: Ours
) -> Iterator[Change]:
    """Yield the changes that add the component to the theme of a framework."""
    search = framework.integrate(read, facts, answer_source)
    component = {
        f"{search.component}/{search.module if name == COMPONENT else name}": text
        for name, text in component_files(facts.languages, answers=bool(answer_source.answers))
    }
    for name, text in {**component, **search.files}.items():
        yield draft.own(name, read(name), text, ours)
    is_clear = True
    for edit in search.edits:
        old = read(edit.path)
        text = edit.correct(old or "")
        if edit.mark and edit.mark in text:
            continue
        new_text = edit.change(text) if is_clear else None
        if new_text is None and is_clear and SCRIPT in (read(f"{facts.build}/index.html") or ""):
            continue  # the owner has added the line to a template
        if new_text is None:
            if is_clear or edit.change(text) != text:
                reason = edit.why or (f"init could not parse {edit.path}" if is_clear else "after the step above")
                draft.pastes.append(Paste(edit.path, edit.paste, reason))
            is_clear, new_text = False, text
        if new_text or old is not None:
            yield Change(edit.path, old, new_text)


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
                f"search the branch `{default_branch}` (setting `api.scopes`)"
            )
    elif lines := missing_lines(_settings(read), facts, origins):
        draft.pastes.append(Paste(NAME, lines, "the file already exists"))


def is_configured(read: ReadText) -> bool:
    """Return True if the project has a configuration; two configuration files would be an error."""
    return read(NAME) is not None or "[tool.searchsocket" in (read("pyproject.toml") or "")


def configuration(facts: SiteFacts, origins: Sequence[str], project_id: str, default_branch: str) -> str:
    """Return a new `searchsocket.toml`, with the settings for this site and common ones as comments.

    Args:
        origins: Origins of the site, if browsers call the service directly.
        project_id: Id of the project, which stays the same if the project is renamed.
        default_branch: Default branch of the repository; "" outside git.
    """
    base = f'base_path = "{facts.base}" # URL path prefix of the site\n' if facts.base else ""
    if default_branch:
        scope = (
            'mode = "git" # one index per branch; "fixed": one index; "env": read the name from $SEARCHSOCKET_SCOPE\n'
        )
        public = f"scopes = {_toml([default_branch])} # branches that visitors search; an API key unlocks the others\n"
    else:
        scope = 'mode = "fixed" # "git": one index per branch; "env": read the name from $SEARCHSOCKET_SCOPE\n'
        scope, public = scope + 'fixed = "main"\n', ""
    if origins:
        hint = "" if facts.origin else "; add your site"
        cors = f"[api.cors]\nallow_origins = {_toml(origins)} # sites that may call the API{hint}\n"
        api = f"[api]\n{public}\n{cors}" if public else cors
    else:
        proxies = 'trusted_proxies = ["127.0.0.1"] # a proxy on this machine that may report visitor addresses\n'
        api = f"[api]\n{public}{'' if facts.has_server else '# '}{proxies}"
    address = f"base_url = {_toml(facts.origin)}" if facts.origin else '# base_url = "https://www.example.com"'
    return f"""\
# searchsocket: search for this site. Every setting is optional; searchsocket detects what you leave out.

[project]
id = {_toml(project_id)} # ID of the index; do not change it when you rename the project
{address} # URL of the published site

[scope]
{scope}
[source]
{base}# static_output_dir = "build" # folder of the built site; default: detected
# exclude = ["/drafts/**"]

[embeddings]
# provider = "builtin" # works offline, needs no key; "onnx": a local model of your choice

[costs.budget]
# run_usd = 1.0 # stop a run that would cost more, before it starts

[llms]
# enable = true # write llms.txt and one Markdown file per page, for agents

[export]
# static = true # write the files of search without a server in each run

{api}"""


def _settings(read: ReadText) -> JsonObject | None:
    """Return the existing settings; None if they cannot be parsed, which the next command reports."""
    own = read(NAME)
    try:
        settings = tomllib.loads(own if own is not None else read("pyproject.toml") or "")
        return settings if own is not None else settings["tool"]["searchsocket"]
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        return None


def missing_lines(settings: JsonObject | None, facts: SiteFacts, origins: Sequence[str]) -> str:
    """Return the lines that an existing configuration lacks or has with another value; "" if there are none."""
    if settings is None:
        return ""
    api, source = settings.get("api", {}), settings.get("source", {})
    lines = ""
    if normalise_prefix(str(source.get("base_path", source.get("basePath", "")))) != facts.base and not facts.unknown:
        lines += f"[source]\nbase_path = {_toml(facts.base)}\n"
    if origins:
        names = re.sub(r"[_-]", "", json.dumps(api)).lower()
        if "alloworigins" not in names:
            lines += f"[api.cors]\nallow_origins = {json.dumps(list(origins))}\n"
    elif facts.has_server and not {"trusted_proxies", "trustedProxies"} & set(api):
        lines += '[api]\ntrusted_proxies = ["127.0.0.1"]\n'
    return lines


def gitignore_change(read: ReadText) -> Change:
    """Return the change that adds the state folder to `.gitignore`."""
    old = read(".gitignore")
    lines = {line.strip() for line in (old or "").splitlines()}
    if {IGNORED, f"/{IGNORED}", IGNORED.rstrip("/")} & lines:
        return Change(".gitignore", old, old or "")
    break_ = "" if not old or old.endswith("\n") else "\n"
    return Change(".gitignore", old, f"{old or ''}{break_}{IGNORED}\n")


def _toml(value: str | Sequence[str]) -> str:
    return json.dumps(value, ensure_ascii=False)
