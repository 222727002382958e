"""Add search to a SvelteKit site: the handle in its server hooks, the component in its outermost layout."""

import json
import re
from collections.abc import Iterator, Mapping
from posixpath import dirname, relpath

from searchsocket.setup.build import ReadText
from searchsocket.setup.changes import AT_CORNER, WRITTEN, AnswerSource, Change, Ours, Paste, Plan
from searchsocket.setup.client_files import component_files, handle_files
from searchsocket.setup.site import SiteFacts
from searchsocket.web.routes.script import Script

_HANDLE = re.compile(
    r"^export\s+(?:(?P<const>const|let)\s+handle\b(?P<type>\s*:\s*[\w.]+)?\s*=\s*(?P<sequence>sequence\s*\(\s*)?"
    r"|(?P<function>(?:async\s+)?function)\s+handle\b)",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^import\b", re.MULTILINE)
_OWN = "siteHandle"
_KIT_HOOKS = "@sveltejs/kit/hooks"


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
    if facts.has_server and answer_source.name != "static":
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
    return f"""\
<!-- Search dialog: opens with the button, Ctrl+K or /. Without its style it is part of the text. {WRITTEN} -->
<script>
	import {{ onMount }} from 'svelte';

	onMount(() => {{
		import('./components.js');
	}});
</script>

<searchsocket-dialog {answer_source.html}></searchsocket-dialog>

<style>
	searchsocket-dialog {{
		{rules};
	}}
</style>
"""


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
