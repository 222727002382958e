"""Pages that tools write for other tools: seldom worth what embedding them costs."""

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
    """Why a canonical URL looks like the output of a build, rather than a page for readers; "" where it does not."""
    *folders, name = url.lower().strip("/").split("/")
    if folder := next((each for each in folders if each in _FOLDERS), ""):
        return f"in a folder `{folder}`"
    if _HASH.search(name):
        return "a hash in its name"
    if _MACHINE_NAME.search(name):
        return "named like a file of a build"
    return ""
