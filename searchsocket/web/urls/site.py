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
    """The place of a scope's site.

    Args:
        mode: As for `make_source`.
        scope: Takes the place of `{scope}` in `source.crawl.base_url`.

    Returns:
        A crawled site lies where it is crawled, and links to its published address lead to it too. Another site lies
        under `source.base_path`, else under the path of `project.base_url`.

    Raises:
        ConfigError: A path cannot be one, or `source.base_path` contradicts the path that is crawled.
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
    """Scheme and host where browsers find the site, so that a page's address can follow; "" = not configured.

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
    host = parts.netloc.rpartition("@")[2]  # a login is for the crawl alone
    is_whole = parts.scheme in ("http", "https") and host and "{" not in host  # which a run alone fills in
    return f"{parts.scheme}://{host}" if is_whole else ""


def crawl_address(settings: "Settings", scope: str) -> str:
    """The address of the site's root that is crawled for a scope, without a trailing slash.

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
    except ValueError:  # not an address: whoever connects to it says so
        return ""
