"""Join links with the address of their page as browsers do (WHATWG URL), and resolve them within a site (spec 8.4)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.paths import canonical_path, normalise_prefix, path_depth, under_prefix

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

_DEFAULT_PORTS = {80, 443, None}


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


@dataclass(frozen=True, slots=True)
class SiteBase:
    """URL and base path of a site; `site_base` creates one."""

    path: str = ""  # base path of root-relative links, from `normalise_prefix`; "" = none
    addresses: tuple[tuple[str, int | None, str], ...] = ()  # (host, port or None for the default, path) of each


@dataclass(frozen=True, slots=True, order=True)
class LinkedAddress:
    """The target of a link on a site: the page that it means, and the address that a browser asks for."""

    path: str  # canonical path, without the base path
    address: str  # below the base path, escaped, with the query: `/caf%C3%A9/?page=2`; "" = the base path itself


AT_ROOT = SiteBase()


def site_base(addresses: Iterable[str] = (), path: str = "") -> SiteBase:
    """Make a `SiteBase`.

    Args:
        addresses: Published addresses, e.g. `https://example.com/docs`; absolute links below one are internal.
            An address without a path has the base path; one without a host is left out.
        path: The base path in the site's own links.

    Raises:
        InvalidRequest: A path is not a valid URL path.
    """
    root = normalise_prefix(path)
    bases: dict[tuple[str, int | None, str], None] = {}
    for address in addresses:
        parts = _split(address if "//" in address else "//" + address)
        if parts is not None and parts.hostname:
            bases[(*_host(parts), normalise_prefix(parts.path) or root)] = None
    return SiteBase(root, tuple(bases))


def resolve_link(href: str, served_url: str, site: SiteBase = AT_ROOT) -> str | None:
    """The target of a link on this site.

    Args:
        href: As written in the page.
        served_url: The path of the page that relative links resolve against, without the base path.
        site: The addresses of the site.

    Returns:
        A canonical path without the base path; None if the link leaves the site or is invalid.
    """
    resolved = resolve_address(href, served_url, site)
    return None if resolved is None else canonical_path(resolved)


def resolve_address(href: str, served_url: str, site: SiteBase = AT_ROOT) -> str | None:
    """Like `resolve_link`, but keeps the trailing slash of the link."""
    inside = (_below(root, path) for root, path, _ in _readings(href, site.path + served_url, site))
    return next((url for url in inside if url is not None), None)


def linked_address(href: str, page: str, site: SiteBase = AT_ROOT) -> LinkedAddress | None:
    """The target of a link, with its address as linked.

    Args:
        page: Path of the page on its host, with the base path, as it was served.

    Returns:
        None if the link leaves the site or is invalid.
    """
    for root, path, query in _readings(href, page, site):
        url = _below(root, path)
        if url is not None:
            return LinkedAddress(canonical_path(url), _after_base(path, root) + query)
    return None


def rebased(href: str, page: str, site: SiteBase = AT_ROOT) -> str:
    """The path that relative links of a page with this `<base href>` resolve against, like `page`."""
    for root, path, _ in _readings(href, page, site):
        if root == site.path:
            return path
        if _below(root, path) is not None:
            return site.path + _after_base(path, root)
    return page


def resolve_base(href: str, served_url: str, site: SiteBase = AT_ROOT) -> str:
    """The `served_url` of a page with this `<base href>`; unchanged if the base is on another host.

    A trailing slash is kept. A base outside the site is valid: its relative links may lead inside.
    """
    for root, path, _ in _readings(href, site.path + served_url, site):
        if root == site.path:
            return served_under(root, path) or served_url
        if (inside := _below(root, path)) is not None:
            return inside
    return served_url


def served_under(root: str, path: str) -> str:
    """The `served_url` of a full URL path for the site at `root`; "" if it has none.

    A path outside is expressed with `..` segments. The root without its slash is outside too: a link `a` on the
    page `/docs` means `/a`.
    """
    inside = _below(root, path)
    if inside is not None and not (root and inside == "/" and not _is_folder(path)):
        return inside
    outside = _below("", path)
    return "" if outside is None else "/.." * path_depth(root or "/") + outside


def _readings(href: str, page: str, site: SiteBase) -> Iterator[tuple[str, str, str]]:
    """Yield (base path, full path, query) for each address of the site that the link may mean."""
    link = join(href, page)
    if link is None:
        return
    if not link.authority:
        yield site.path, link.path, link.query
    elif site.addresses and (parts := _split(f"//{link.authority}")) is not None:
        host = _host(parts)
        yield from ((path, link.path, link.query) for *origin, path in site.addresses if tuple(origin) == host)


def _split(head: str) -> SplitResult | None:
    try:
        parts = urlsplit(head)
        _ = parts.port  # parsed only on access
    except ValueError:
        return None
    return parts


def _host(parts: SplitResult) -> tuple[str, int | None]:
    """Host and port; the scheme is ignored, since a site answers on both."""
    name = (parts.hostname or "").rstrip(".")
    try:
        name = name.encode("idna").decode("ascii") if not name.isascii() else name
    except UnicodeError:
        name = ""
    return name, None if parts.port in _DEFAULT_PORTS else parts.port


def _below(root: str, path: str) -> str | None:
    """`path` without the base path; None if it is outside, or not a valid path."""
    try:
        url = canonical_path(path)
    except InvalidRequest:
        return None
    if not under_prefix(url, root):
        return None
    url = url[len(root) :] or "/"
    return url + "/" if url != "/" and _is_folder(path) else url


def _after_base(path: str, root: str) -> str:
    """The rest of a path below the base path, as written; the base path may be written in another way."""
    position = 0
    for _ in range(path_depth(root) if root else 0):
        while path[position : position + 1] == "/":
            position += 1
        end = path.find("/", position)
        position = len(path) if end < 0 else end
    return path[position:]


def _is_folder(path: str) -> bool:
    last = path.rpartition("/")[2]
    return unquote_to_bytes(last.encode("utf-8", "replace")) in (b"", b".", b"..")
