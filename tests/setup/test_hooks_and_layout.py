"""Search joined with code that somebody else wrote: in server hooks and layouts."""

import pytest

from searchsocket.setup.plan import with_handle, with_search

IMPORT = "import { searchsocketHandle } from './s.js';\n"
SEQUENCE = "import { sequence } from '@sveltejs/kit/hooks';\n"


def hooks(text: str | None) -> str | None:
    return with_handle(text, "./s.js", "")


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        (None, f"{IMPORT}\nexport const handle = searchsocketHandle();\n"),
        (
            "export const init = () => {};\n",
            f"{IMPORT}\nexport const init = () => {{}};\n\nexport const handle = searchsocketHandle();\n",
        ),
        (
            "import type { Handle } from '@sveltejs/kit';\n\n"
            "export const handle: Handle = async ({ event, resolve }) => {\n"
            "\treturn resolve(event); // as handle does\n};\n",
            f"{SEQUENCE}{IMPORT}import type {{ Handle }} from '@sveltejs/kit';\n\n"
            "const siteHandle: Handle = async ({ event, resolve }) => {\n"
            "\treturn resolve(event); // as handle does\n};\n\n"
            "export const handle = sequence(searchsocketHandle(), siteHandle);\n",
        ),
        (
            "export async function handle({ event, resolve }) {\n\treturn resolve(event);\n}",
            f"{SEQUENCE}{IMPORT}\nasync function siteHandle({{ event, resolve }}) {{\n\treturn resolve(event);\n}}\n\n"
            "export const handle = sequence(searchsocketHandle(), siteHandle);\n",
        ),
        (
            f"{SEQUENCE}import a from './a';\nexport const handle = sequence(a);\n",
            f"{IMPORT}{SEQUENCE}import a from './a';\nexport const handle = sequence(searchsocketHandle(), a);\n",
        ),
    ],
    ids=["no file", "no handle", "a constant", "a function", "a sequence"],
)
def test_a_handle_is_joined_with_what_is_there_once(text: str | None, joined: str) -> None:
    assert hooks(text) == joined
    assert hooks(joined) == joined


@pytest.mark.parametrize(
    "text",
    [
        "const handle = a;\nexport { handle };\n",
        "export { handle } from './other';\n",
        "export const handle = a;\nexport const twice = handle;\n",
        "export const [handle] = make();\n",
        "const siteHandle = 1;\nexport const handle = a;\n",
    ],
)
def test_hooks_that_are_not_understood_are_left_to_a_person(text: str) -> None:
    assert hooks(text) is None


def test_search_stands_in_a_layout_once() -> None:
    before = "<script module>\n\tlet a;\n</script>\n<script lang=\"ts\">\n\timport './a.css';\n</script>\n\n<main />\n"
    result = with_search(before, "./S.svelte", runes=True)
    assert result == (
        "<script module>\n\tlet a;\n</script>\n<script lang=\"ts\">\n\timport Search from './S.svelte';\n"
        "\timport './a.css';\n</script>\n\n<Search />\n\n<main />\n"
    )
    without = with_search("<main />\n", "./S.svelte", runes=True)
    assert without is not None
    assert without.endswith("<Search />\n<main />\n")
    assert with_search("<script>let Search;</script>", "./S.svelte", runes=True) is None
    assert "<slot />" in (with_search(None, "./S.svelte", runes=False) or "")
