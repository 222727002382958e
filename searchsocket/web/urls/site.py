"""URL of the configured site: its base path, and the hosts that its links may have."""

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from searchsocket.errors import ConfigError, InvalidRequest
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.web.urls.paths import below_base, canonical_path, normalise_prefix
from searchsocket.web.urls.resolve import SiteBase, resolve_address, site_base

if TYPE_CHECKING:
    from searchsocket.project.settings.model import Settings

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_MAX_HOST_CHARS = 80


def configured_site(settings: "Settings", mode: str | None, scope: str) -> SiteBase:
    """The base path and addresses of a scope's site.

    Args:
        mode: As in `make_source`.
        scope: Replaces `{scope}` in the address of the source.

    Returns:
        For pages of another host, its address and the published one, with the path of the first. Otherwise the
        published address, with `source.base_path`, else the path of `project.base_url`.

    Raises:
        ConfigError: A path is invalid, or `source.base_path` contradicts the path of the host's address.
    """
    published = settings.project.base_url
    kind = source_kind(mode or settings.source.mode)
    try:
        if not kind.is_remote:
            return site_base([published], settings.source.base_path or _path(published))
        address = source_address(settings, mode, scope)
        return site_base([address, published], _path(address))
    except InvalidRequest as error:
        names = ", ".join(filter(None, ("source.base_path", kind.scope_setting if kind.is_remote else "")))
        raise ConfigError(f"{names} or project.base_url: {error}") from error


def site_origin(settings: "Settings", scope: str) -> str:
    """Scheme and host of the site for browsers, to put before a page's address; "" = not configured.

    Raises:
        ConfigError: As `source_address`.
    """
    address = settings.project.base_url
    if not address and settings.source.address():
        address = source_address(settings, None, scope)
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]  # a login is only for the run
    is_whole = parts.scheme in ("http", "https") and host and "{" not in host  # only a run fills in placeholders
    return f"{parts.scheme}://{host}" if is_whole else ""


def source_address(settings: "Settings", mode: str | None, scope: str) -> str:
    """The address of the host that the pages of a scope come from, without a trailing slash; "" = this machine.

    Args:
        mode: As in `make_source`.
        scope: Replaces `{scope}`.

    Raises:
        ConfigError: `source.base_path` contradicts the path of the address.
    """
    address = settings.source.address(mode).replace("{scope}", scope).rstrip("/")
    base_path = normalise_prefix(settings.source.base_path)
    path = _path(address)
    if base_path and path and path != base_path:
        setting = source_kind(mode or settings.source.mode).scope_setting
        raise ConfigError(
            f"source.base_path is {base_path} but {setting} has the path {path}; "
            f"set the path of the site in {setting} alone"
        )
    return address if path else address + base_path


def _path(address: str) -> str:
    try:
        return normalise_prefix(urlsplit(address if "//" in address else "//" + address).path)
    except ValueError:  # not an address: connecting to it will fail with an error
        return ""


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
