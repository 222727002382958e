"""Read a page reference from a caller: a path, or an absolute URL of the site (spec 14.1)."""

import re
from urllib.parse import urlsplit

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.paths import below_base, canonical_path
from searchsocket.web.urls.resolve import SiteBase, resolve_address

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_MAX_HOST_CHARS = 80


def site_path(text: str, site: SiteBase) -> str:
    """The path that a text refers to on a site: the text itself without outer blanks, or the path of an absolute URL.

    Raises:
        InvalidRequest: It is a URL of another host, or of this host outside the site.
    """
    text = text.strip()
    if not _SCHEME.match(text):
        return text
    path = resolve_address(text, "/", site)
    if path is None:
        raise InvalidRequest(
            f"{_host(text)!r} is not the host of this site, or the URL is outside the base path; send a path, or a "
            + ("URL of this site" if site.addresses else "URL of this site once project.base_url names its host")
        )
    return path


def requested_versions(versions: tuple[str, ...], site: SiteBase) -> tuple[str, ...]:
    """Expand requested versions: a path of a page may include the base path of the site or not."""
    readings = (
        below_base(canonical_path(version), site.path) if version.startswith("/") else (version,)
        for version in versions
    )
    return tuple(name for names in readings for name in names)


def _host(url: str) -> str:
    """The host without a login, which may contain a secret."""
    try:
        return (urlsplit(url).hostname or "")[:_MAX_HOST_CHARS]
    except ValueError:
        return ""
