"""Resolve the links of a page on this site, also with a base path (spec 8.4)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.paths import canonical_path, normalise_prefix, path_depth, under_prefix, without_query

_IGNORED_IN_HREF = re.compile(r"[\t\n\r]")
_C0_AND_SPACE = "".join(map(chr, range(0x21)))
_DEFAULT_PORTS = {80, 443, None}


@dataclass(frozen=True, slots=True)
class SiteBase:
    """URL and base path of a site; `site_base` creates one."""

    path: str = ""  # what its root-relative links begin with, as `normalise_prefix` gives it; "" = the host is the site
    addresses: tuple[tuple[str, int | None, str], ...] = ()  # host, port (None = the usual one) and path of each


AT_ROOT = SiteBase()


def site_base(addresses: Iterable[str] = (), path: str = "") -> SiteBase:
    """Put together where a site lies.

    Args:
        addresses: Where it is published, e.g. `https://example.com/docs`; absolute links below one are internal.
            An address without a path has the base path; one that names no host is left out.
        path: The base path that the site's own links carry.

    Raises:
        InvalidRequest: A path is no URL path.
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
        site: Where the site lies.

    Returns:
        A canonical path without the base path; None when the link leaves the site or means nothing.
    """
    resolved = resolve_address(href, served_url, site)
    return None if resolved is None else canonical_path(resolved)


def resolve_address(href: str, served_url: str, site: SiteBase = AT_ROOT) -> str | None:
    """As `resolve_link`, with the trailing slash that the link has."""
    inside = (_below(root, path) for root, path in _readings(href, served_url, site))
    return next((url for url in inside if url is not None), None)


def resolve_base(href: str, served_url: str, site: SiteBase = AT_ROOT) -> str:
    """The `served_url` that a page's `<base href>` makes of its own; its own where the base lies on another host.

    A trailing slash stays, and a base outside the site is one too: its relative links may lead inside.
    """
    for root, path in _readings(href, served_url, site):
        if root == site.path:
            return served_under(root, path) or served_url
        if (inside := _below(root, path)) is not None:
            return inside
    return served_url


def served_under(root: str, path: str) -> str:
    """The `served_url` of a full URL path for the site at `root`; "" if it has none.

    What lies outside is reached by climbing. The root itself without its slash is outside as well: a link `a` on the
    page `/docs` means `/a`.
    """
    inside = _below(root, path)
    if inside is not None and not (root and inside == "/" and not _is_folder(path)):
        return inside
    outside = _below("", path)
    return "" if outside is None else "/.." * path_depth(root or "/") + outside


def _readings(href: str, served_url: str, site: SiteBase) -> Iterator[tuple[str, str]]:
    """(base path that it must lie below, full path), for each address of the site that the link may mean."""
    # Browsers drop these characters and read a backslash as a slash.
    text = _IGNORED_IN_HREF.sub("", href.strip(_C0_AND_SPACE))
    parts = _split(without_query(text).replace("\\", "/"))
    if parts is None:
        return
    if parts.netloc:
        if parts.scheme in ("", "http", "https"):
            host = _host(parts)
            yield from ((path, parts.path or "/") for *origin, path in site.addresses if tuple(origin) == host)
    elif not parts.scheme and not parts.path.startswith("//"):
        served = site.path + served_url
        if parts.path == "":
            yield site.path, served
        elif parts.path.startswith("/"):
            yield site.path, parts.path
        else:
            yield site.path, served[: served.rfind("/") + 1] + parts.path


def _split(head: str) -> SplitResult | None:
    try:
        parts = urlsplit(head)
        _ = parts.port  # parsed only when asked for
    except ValueError:
        return None
    return parts


def _host(parts: SplitResult) -> tuple[str, int | None]:
    """Host and port; the scheme is left out, since one site answers on both."""
    name = (parts.hostname or "").rstrip(".")
    try:
        name = name.encode("idna").decode("ascii") if not name.isascii() else name
    except UnicodeError:
        name = ""
    return name, None if parts.port in _DEFAULT_PORTS else parts.port


def _below(root: str, path: str) -> str | None:
    """`path` without the base path; None outside it, or when no canonical path can be made of it."""
    try:
        url = canonical_path(path)
    except InvalidRequest:
        return None
    if not under_prefix(url, root):
        return None
    url = url[len(root) :] or "/"
    return url + "/" if url != "/" and _is_folder(path) else url


def _is_folder(path: str) -> bool:
    last = path.rpartition("/")[2]
    return unquote_to_bytes(last.encode("utf-8", "replace")) in (b"", b".", b"..")
