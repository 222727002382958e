"""URL of the configured site: its base path, and the hosts that its links may have."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from searchsocket.errors import ConfigError, InvalidRequest
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.web.urls.paths import normalise_prefix
from searchsocket.web.urls.resolve import SiteBase, site_base

if TYPE_CHECKING:
    from searchsocket.project.settings.model import Settings


def configured_site(settings: "Settings", mode: str | None, scope: str) -> SiteBase:
    """The base path and addresses of a scope's site.

    Args:
        mode: As in `make_source`.
        scope: Replaces `{scope}` in `source.crawl.base_url`.

    Returns:
        For a crawled site, the crawled address and the published one, with the crawled base path. Otherwise the
        published address, with `source.base_path`, else the path of `project.base_url`.

    Raises:
        ConfigError: A path is invalid, or `source.base_path` contradicts the path that is crawled.
    """
    published = settings.project.base_url
    try:
        if not source_kind(mode or settings.source.mode).is_remote:
            return site_base([published], settings.source.base_path or _path(published))
        crawled = crawl_address(settings, scope)
        return site_base([crawled, published], _path(crawled))
    except InvalidRequest as error:
        raise ConfigError(f"source.base_path, source.crawl.base_url or project.base_url: {error}") from error


def site_origin(settings: "Settings", scope: str) -> str:
    """Scheme and host of the site for browsers, to put before a page's address; "" = not configured.

    Raises:
        ConfigError: As `crawl_address`.
    """
    address = settings.project.base_url
    if not address and source_kind(settings.source.mode).is_remote:
        address = crawl_address(settings, scope)
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]  # a login is only for the crawl
    is_whole = parts.scheme in ("http", "https") and host and "{" not in host  # only a run fills in placeholders
    return f"{parts.scheme}://{host}" if is_whole else ""


def crawl_address(settings: "Settings", scope: str) -> str:
    """The root address to crawl for a scope, without a trailing slash.

    Raises:
        ConfigError: `source.base_path` contradicts the path of the address.
    """
    address = settings.source.crawl.base_url.replace("{scope}", scope).rstrip("/")
    base_path = normalise_prefix(settings.source.base_path)
    path = _path(address)
    if base_path and path and path != base_path:
        raise ConfigError(
            f"source.base_path is {base_path} but source.crawl.base_url has the path {path}; "
            "set the path of the site in source.crawl.base_url alone"
        )
    return address if path else address + base_path


def _path(address: str) -> str:
    try:
        return normalise_prefix(urlsplit(address if "//" in address else "//" + address).path)
    except ValueError:  # not an address: connecting to it will fail with an error
        return ""
