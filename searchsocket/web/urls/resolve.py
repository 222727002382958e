"""Resolve the links of a page within its site, with or without a base path (spec 8.4)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.joining import join
from searchsocket.web.urls.paths import canonical_path, normalise_prefix, path_depth, under_prefix

_DEFAULT_PORTS = {80, 443, None}


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
