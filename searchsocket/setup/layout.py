"""The search component in a SvelteKit layout."""

import re

_SCRIPT = re.compile(r"<script\b(?![^>]*\b(?:module|context\s*=))[^>]*>", re.IGNORECASE)
_END = re.compile(r"</script\s*>", re.IGNORECASE)
MARK = "searchsocket"


def with_search(text: str | None, module: str, *, runes: bool) -> str | None:
    """The layout with search in it; None where it is not understood.

    Args:
        text: The layout; None = there is none yet.
        module: What the component is imported from.
        runes: Whether the project has Svelte 5.
    """
    line = f"import Search from '{module}';"
    if text is None:
        children = ("\n\tlet { children } = $props();", "{@render children()}") if runes else ("", "<slot />")
        return f"<script>\n\t{line}\n{children[0]}\n</script>\n\n<Search />\n{children[1]}\n"
    if MARK in text:
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
