"""Search in a SvelteKit site: the handle in its server hooks, the component in its outermost layout."""

import json
from collections.abc import Iterator, Mapping
from posixpath import dirname, relpath

from searchsocket.setup.changes import Change
from searchsocket.setup.client_files import component_files, handle_files
from searchsocket.setup.draft import AT_CORNER, Ours, Paste, Plan, ReadText
from searchsocket.setup.hooks import with_handle
from searchsocket.setup.layout import with_search
from searchsocket.setup.site import SiteFacts


def in_svelte_kit(
    read: ReadText, facts: SiteFacts, endpoint: str, made: Plan, ours: Ours, markdown: bool
) -> Iterator[Change]:
    """The handle where there is a server, and the component in the outermost layout."""
    own = f"{facts.source}/lib/searchsocket"
    files: dict[str, str] = {}
    if facts.has_server:
        name = _existing(read, facts.hooks, ("ts", "js")) or facts.hooks + (
            ".ts" if read("tsconfig.json") is not None else ".js"
        )
        options = ", ".join(
            [*(["markdown: true"] if markdown else []), *([f"base: '{facts.base}'"] if facts.base else [])]
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
            made.pastes.append(Paste(name, lines, "searchsocket cannot extend this `handle` safely"))
        else:
            yield Change(name, read(name), text)
        files |= dict(handle_files())
    files |= dict(component_files())
    files["Search.svelte"] = _component(endpoint or f"{facts.base}/api/search")
    for name, text in files.items():
        yield made.own(f"{own}/{name}", read(f"{own}/{name}"), text, ours)
    layout = f"{facts.routes}/+layout.svelte"
    module = _module(layout, f"{own}/Search.svelte")
    found = with_search(read(layout), module, runes=_has_runes(read))
    if found is None:
        lines = f"<script>\n\timport Search from '{module}';\n</script>\n\n<Search />\n"
        made.pastes.append(Paste(layout, lines, "searchsocket could not parse this file"))
    else:
        yield Change(layout, read(layout), found)


def _component(endpoint: str) -> str:
    rules = AT_CORNER.replace("; ", ";\n\t\t")  # in a style sheet: a strict content security policy refuses attributes
    return f"""\
<!-- Search dialog: opens with the button, Ctrl+K or /. Without its style it is part of the text. -->
<script>
	import {{ onMount }} from 'svelte';

	onMount(() => {{
		import('./components.js');
	}});
</script>

<searchsocket-dialog endpoint="{endpoint}"></searchsocket-dialog>

<style>
	searchsocket-dialog {{
		{rules};
	}}
</style>
"""


def _existing(read: ReadText, stem: str, endings: tuple[str, ...]) -> str:
    return next((name for end in endings if read(name := f"{stem}.{end}") is not None), "")


def _module(of: str, target: str) -> str:
    """The import path from one file of the project to another."""
    path = relpath(target, dirname(of))
    return path if path.startswith(".") else f"./{path}"


def _has_runes(read: ReadText) -> bool:
    try:
        package: Mapping[str, Mapping[str, str]] = json.loads(read("package.json") or "{}")
        wanted = {**package.get("dependencies", {}), **package.get("devDependencies", {})}.get("svelte", "5")
    except (ValueError, AttributeError, TypeError):
        return True
    return not wanted.lstrip("^~=v ").startswith(("3", "4"))
