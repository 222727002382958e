"""Detect pages that only redirect to another page."""

import re
from collections.abc import Set

from searchsocket.content.html.links import LinkResolver
from searchsocket.content.html.tree import Element

_REFRESH = re.compile(r"\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
_SCRIPT = re.compile(
    r"^\s*(?:(?:window|document|self|top)\.)*location(?:\.href\s*=|\.(?:replace|assign)\s*\(|\s*=)\s*(['\"])([^'\"\\]+)\1\s*\)?\s*;?\s*$"
)
_MAX_DELAY_S = 10
_STUB_CHARS = 1000  # a page with more text is content, even if it redirects


def find_redirect(root: Element, resolver: LinkResolver, own: Set[str | None]) -> str | None:
    """Return the target of a redirect stub.

    Args:
        own: The paths of the page itself: a page that reloads itself is not a redirect.

    Returns:
        A path on this site, an http(s) address elsewhere, "" for a target that must not be followed (`javascript:`),
        or None when the page is not a redirect.
    """
    target = _refresh_target(root)
    if target is None:
        target = _script_target(root)
    if target is None:
        return None
    path = resolver.path(target)
    if path is None:
        return resolver.external(target)
    return None if path in own else path


def _refresh_target(root: Element) -> str | None:
    for meta in root.iter("meta"):
        if (meta.get("http-equiv") or "").strip().lower() != "refresh":
            continue
        match = _REFRESH.fullmatch(meta.get("content") or "")
        if match is None or len(match[1]) > 4 or int(match[1]) > _MAX_DELAY_S:
            continue
        target = match[2].strip()
        if target[:1] in {"'", '"'}:
            target = target[1:].split(target[0])[0]
        if target and _visible_chars(root) <= _STUB_CHARS:
            return target
    return None


def _script_target(root: Element) -> str | None:
    """Return the target of `<script>location.href = "..."</script>` on a page without text."""
    scripts = [script.text or "" for script in root.iter("script") if not script.get("src")]
    if len(scripts) != 1 or _visible_chars(root) > 100:
        return None
    match = _SCRIPT.match(scripts[0])
    return match[2] if match else None


def _visible_chars(root: Element) -> int:
    hidden = {"script", "style", "title", "noscript"}
    return sum(len((element.text or "").strip()) * (element.tag not in hidden) + len((element.tail or "").strip())
               for element in root.iter())  # fmt: skip
