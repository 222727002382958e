"""Plan the changes of `searchsocket init`, with a new `searchsocket.toml`, and the steps for the user.

A SvelteKit site gets the handle in its server hooks, and the component in its outermost layout.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, relpath

from searchsocket.extensions import extensions
from searchsocket.setup.build import ReadText
from searchsocket.setup.changes import AT_CORNER, AnswerSource, Change, Ours, Paste, Plan, distinct, template
from searchsocket.setup.client_files import COMPONENT, component_files, handle_files
from searchsocket.setup.frameworks import FRAMEWORKS, SCRIPT, Framework
from searchsocket.setup.site import SiteFacts, reader
from searchsocket.system.json_text import JsonObject
from searchsocket.web.routes.script import Script
from searchsocket.web.urls.paths import normalise_prefix

NAME = "searchsocket.toml"
IGNORED = ".searchsocket/"
SERVICE = "http://127.0.0.1:8181"
_KIT_PORTS = (4173, 5173)
_HANDLE = re.compile(
    r"^export\s+(?:(?P<const>const|let)\s+handle\b(?P<type>\s*:\s*[\w.]+)?\s*=\s*(?P<sequence>sequence\s*\(\s*)?"
    r"|(?P<function>(?:async\s+)?function)\s+handle\b)",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^import\b", re.MULTILINE)
_OWN = "siteHandle"
_KIT_HOOKS = "@sveltejs/kit/hooks"


@dataclass(frozen=True, slots=True)
class ServerlessSearch:
    """Search that each build of a site makes, without a service; an extension brings it.

    Attributes:
        option: Of `searchsocket init`.
        source: Returns the source of results; its text is `answers` of `plan`, also below.
        is_in_pages: Returns True if it is added to the built pages, because no theme can contain it.
        step_changes: Yields the changes that make the site's own build run its commands; sets the fields of the plan
            about them.
        page_step: Returns the command that adds search to all pages of a build, for a site without a known theme.
        next_steps: Yields the lines for the user that follow those of the plan.
    """

    option: str
    source: Callable[[SiteFacts, str], AnswerSource]
    is_in_pages: Callable[[SiteFacts], bool]
    step_changes: Callable[[ReadText, SiteFacts, Plan, Ours, str], Iterator[Change]]
    page_step: Callable[[SiteFacts, str], str]
    next_steps: Callable[[Path, Plan], Iterator[str]]


def plan(
    root: Path,
    facts: SiteFacts,
    project_id: str,
    *,
    default_branch: str = "",
    service: str = "",
    ours: Ours = lambda name, text: False,
    markdown: bool = True,
    serverless: ServerlessSearch | None = None,
    answers: str = "",
) -> Plan:
    """Plan the changes of a site.

    Args:
        project_id: Id of the project in a new configuration.
        default_branch: Default branch of the repository, whose index visitors search; "" outside git.
        service: URL of `searchsocket serve` for browsers; "": `SERVICE`, or the site itself if it has a server.
        ours: See `Ours`.
        markdown: True if the site's server returns pages as Markdown to agents.
        serverless: The search of visitors, if they use no service.
        answers: Address of answers in sentences for browsers; "" = none.
    """
    draft = Plan(facts)
    read = reader(root)
    changes = [gitignore_change(read)]
    calls_service = not facts.has_server and not serverless
    address = service.rstrip("/") or SERVICE
    answer_source = (
        serverless.source(facts, answers)
        if serverless
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
    elif (framework := FRAMEWORKS.get(facts.framework)) and not (serverless and serverless.is_in_pages(facts)):
        changes += in_theme(read, facts, framework, answer_source, draft, ours)
    if serverless:
        changes += serverless.step_changes(read, facts, draft, ours, answers)
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
    examples = "".join(f"[{each.name}]\n{each.example}\n\n" for each in extensions() if each.example)
    return template(
        NAME, project_id=_toml(project_id), address=address, scope=scope, base=base, extensions=examples, api=api
    )


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


def with_handle(text: str | None, module: str, options: str) -> str | None:
    """Add the search handle before the site's own handle; return None if the file cannot be parsed.

    Args:
        text: Text of the file; None if it does not exist.
        module: Module of `searchsocketHandle`.
        options: Source of its argument; "" for none.
    """
    line = f"import {{ searchsocketHandle }} from '{module}';\n"
    call = f"searchsocketHandle({options})"
    if text is None or not text.strip():
        return f"{line}\nexport const handle = {call};\n"
    script = Script(text)
    if script.count("searchsocketHandle"):
        return text
    matches = [*_HANDLE.finditer(text)]
    mentions = script.count("handle")
    if not mentions:
        return _add_import(text, line).rstrip("\n") + f"\n\nexport const handle = {call};\n"
    if len(matches) != 1 or mentions != 1 or script.count(_OWN):
        return None  # exported from another module, used again, or in an unknown form
    match = matches[0]
    if match["sequence"]:
        return _add_import(text[: match.end()] + f"{call}, " + text[match.end() :], line)
    own = match[0].replace("export", "", 1).lstrip().replace("handle", _OWN, 1)
    sequence = f"\n\nexport const handle = sequence({call}, {_OWN});\n"
    new_text = text[: match.start()] + own + text[match.end() :].rstrip("\n") + sequence
    has_sequence = script.names(_KIT_HOOKS) and script.count("sequence")
    return _add_import(new_text, line if has_sequence else f"import {{ sequence }} from '{_KIT_HOOKS}';\n{line}")


def _add_import(text: str, lines: str) -> str:
    """Insert imports before the first import, so that a comment at the top stays first."""
    first = _IMPORT.search(text)
    at = first.start() if first else 0
    return text[:at] + lines + ("" if first else "\n") + text[at:]


_SCRIPT = re.compile(r"<script\b(?![^>]*\b(?:module|context\s*=))[^>]*>", re.IGNORECASE)
_END = re.compile(r"</script\s*>", re.IGNORECASE)


def with_search(text: str | None, module: str, *, runes: bool) -> str | None:
    """Add the search component to a layout; return None if the layout cannot be parsed.

    Args:
        text: Text of the layout; None if it does not exist.
        module: Module of the component.
        runes: True if the project has Svelte 5.
    """
    line = f"import Search from '{module}';"
    if text is None:
        children = ("\n\tlet { children } = $props();", "{@render children()}") if runes else ("", "<slot />")
        return f"<script>\n\t{line}\n{children[0]}\n</script>\n\n<Search />\n{children[1]}\n"
    if "searchsocket/Search.svelte" in text:
        return text
    if re.search(r"\bSearch\b", text):
        return None  # the name is taken
    script = _SCRIPT.search(text)
    if script is None:
        return f"<script>\n\t{line}\n</script>\n\n<Search />\n{text}"
    end = _END.search(text, script.end())
    if end is None:
        return None
    inner = text[script.end() : end.start()]
    return f"{text[: script.end()]}\n\t{line}{inner}{text[end.start() : end.end()]}\n\n<Search />{text[end.end() :]}"


def in_svelte_kit(
    read: ReadText, facts: SiteFacts, answer_source: AnswerSource, draft: Plan, ours: Ours, markdown: bool
) -> Iterator[Change]:
    """Yield the changes for a SvelteKit site: the handle if there is a server, and the component in the layout."""
    own = f"{facts.source}/lib/searchsocket"
    files: dict[str, str] = {}
    if facts.has_server and answer_source.is_service:
        name = _existing(read, facts.hooks, ("ts", "js")) or facts.hooks + (
            ".ts" if read("tsconfig.json") is not None else ".js"
        )
        own_path = answers.removeprefix(facts.base) if (answers := answer_source.answers).startswith("/") else ""
        options = ", ".join(
            [
                *(["markdown: true"] if markdown else []),
                *([f"base: '{facts.base}'"] if facts.base else []),
                *([f"paths: ['{own_path}', '{own_path}/*']"] if own_path else []),
            ]
        )
        module = _module(name, f"{own}/handle.js")
        argument = f"{{ {options} }}" if options else ""
        text = with_handle(read(name), module, argument)
        if text is None:
            lines = (
                "import { sequence } from '@sveltejs/kit/hooks';\n"
                f"import {{ searchsocketHandle }} from '{module}';\n\n"
                f"export const handle = sequence(searchsocketHandle({argument}), yours);\n"
            )
            draft.pastes.append(Paste(name, lines, "searchsocket cannot extend this `handle` safely"))
        else:
            yield Change(name, read(name), text)
        files |= dict(handle_files())
    files |= dict(component_files(facts.languages, answers=bool(answer_source.answers)))
    files["Search.svelte"] = _component(answer_source)
    for name, text in files.items():
        yield draft.own(f"{own}/{name}", read(f"{own}/{name}"), text, ours)
    layout = f"{facts.routes}/+layout.svelte"
    module = _module(layout, f"{own}/Search.svelte")
    layout_text = with_search(read(layout), module, runes=_has_runes(read))
    if layout_text is None:
        lines = f"<script>\n\timport Search from '{module}';\n</script>\n\n<Search />\n"
        draft.pastes.append(Paste(layout, lines, "searchsocket could not parse this file"))
    else:
        yield Change(layout, read(layout), layout_text)


def _component(answer_source: AnswerSource) -> str:
    rules = AT_CORNER.replace("; ", ";\n\t\t")  # a style sheet, since a strict CSP refuses style attributes
    return template("search-dialog.svelte", attribute=answer_source.html, rules=rules)


def _existing(read: ReadText, stem: str, endings: tuple[str, ...]) -> str:
    return next((name for end in endings if read(name := f"{stem}.{end}") is not None), "")


def _module(importer: str, target: str) -> str:
    """Return the import path from one file of the project to another."""
    path = relpath(target, dirname(importer))
    return path if path.startswith(".") else f"./{path}"


def _has_runes(read: ReadText) -> bool:
    try:
        package: Mapping[str, Mapping[str, str]] = json.loads(read("package.json") or "{}")
        requirement = {**package.get("dependencies", {}), **package.get("devDependencies", {})}.get("svelte", "5")
    except (ValueError, AttributeError, TypeError):
        return True
    return not requirement.lstrip("^~=v ").startswith(("3", "4"))
