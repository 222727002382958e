"""Detect pages that tools write for other tools, which are rarely worth embedding."""

import re

_FOLDERS = frozenset(
    {
        "_app", "_astro", "_next", "_nuxt", "_static", ".svelte-kit", ".vite", "bundles", "chunks", "coverage", "dist",
        "htmlcov", "lcov-report", "node_modules", "playwright-report", "storybook-static", "target", "test-results",
    }
)  # fmt: skip
_HASH = re.compile(r"(?:^|[._-])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,}(?:$|[._-])", re.IGNORECASE)
_MACHINE_NAME = re.compile(r"\.(?:min|bundle|chunk|map|lock|snap)(?:\.|$)|(?:^|[-_])(?:stats|manifest|sourcemap)\.")


def build_output_reason(url: str) -> str:
    """The reason why a canonical URL looks like build output instead of a page for readers; "" if it does not."""
    *folders, name = url.lower().strip("/").split("/")
    if folder := next((part for part in folders if part in _FOLDERS), ""):
        return f"in a folder `{folder}`"
    if _HASH.search(name):
        return "a hash in its name"
    if _MACHINE_NAME.search(name):
        return "named like a file of a build"
    return ""
