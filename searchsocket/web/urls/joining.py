"""Join a link with the address of its page, and escape the result, as browsers do (WHATWG URL, http and https)."""

import re
from functools import lru_cache
from typing import NamedTuple

_IGNORED = re.compile(r"[\t\n\r]")
_C0_AND_SPACE = "".join(map(chr, range(0x21)))
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SLASHES = re.compile(r"[/\\]")
_AUTHORITY = re.compile(r"[/\\]{2,}([^/\\]*)")
_DOT = re.compile(r"\.|%2e", re.IGNORECASE)
_DOTS = re.compile(r"(?:\.|%2e){2}", re.IGNORECASE)
_PLAIN = re.compile(r"(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*/)*(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*)?")
_ESCAPED_IN_PATH = re.compile(r"""[^!$%&'()*+,./0-9:;=@A-Z\[\\\]^_a-z|~-]""")
_ESCAPED_IN_QUERY = re.compile(r"""[^!$%&()*+,./0-9:;=?@A-Z\[\\\]^_`a-z{|}~-]""")


class JoinedLink(NamedTuple):
    """The target of a link, escaped, without its fragment."""

    authority: str  # as written: `host:8080`; "" = the host of the page
    path: str
    query: str  # with its `?`; "" for none


def join(href: str, base: str) -> JoinedLink | None:
    """Resolve a link.

    Args:
        href: As written in the page.
        base: Path of the page on its host, or of its `<base href>`; perhaps with a query.

    Returns:
        None if the link has another scheme than http and https, or no host after its scheme.
    """
    text = _IGNORED.sub("", href.strip(_C0_AND_SPACE)).partition("#")[0]
    before_query, mark, query = text.partition("?")
    if scheme := _SCHEME.match(before_query):
        if scheme[1].lower() not in ("http", "https"):
            return None
        before_query = before_query[scheme.end() :]
        if not _AUTHORITY.match(before_query):
            return None
    query = escape_query(query) if query else ""
    if authority := _AUTHORITY.match(before_query):
        return JoinedLink(authority[1], normal_path(before_query[authority.end() :]), query) if authority[1] else None
    base_path, base_mark, base_query = base.partition("?")
    if not before_query:
        return JoinedLink("", normal_path(base_path), query if mark else escape_query(base_query) if base_mark else "")
    if before_query[0] in "/\\":
        return JoinedLink("", normal_path(before_query), query)
    return JoinedLink("", normal_path(base_path[: base_path.rfind("/") + 1] + before_query), query)


@lru_cache(maxsize=1_024)
def normal_path(path: str) -> str:
    """A path from the root with resolved dot segments, escaped; empty segments stay."""
    below = path[1:] if path[:1] in ("/", "\\") else path
    if _PLAIN.fullmatch(below):
        return f"/{below}"
    segments: list[str] = []
    parts = _SLASHES.split(below)
    for part in parts:
        if _DOTS.fullmatch(part):
            del segments[-1:]
        elif not _DOT.fullmatch(part):
            segments.append(_ESCAPED_IN_PATH.sub(_escape, part))
    if _DOT.fullmatch(parts[-1]) or _DOTS.fullmatch(parts[-1]):
        segments.append("")
    return "/" + "/".join(segments)


def escape_query(query: str) -> str:
    """Return `?` and the escaped query; "" for an empty one."""
    return "?" + _ESCAPED_IN_QUERY.sub(_escape, query) if query else ""


def _escape(match: re.Match[str]) -> str:
    # A lone surrogate is the replacement character.
    data = match[0].encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    return "".join(f"%{byte:02X}" for byte in data)
