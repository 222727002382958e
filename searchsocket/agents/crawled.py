"""Projects of crawled websites in the user's list, each in a folder of the user's data."""

import hashlib
import json
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from searchsocket.errors import ConfigError
from searchsocket.project.settings.load import FILE_NAME
from searchsocket.system.errors import system_error
from searchsocket.system.files import make_private_folder, write_atomic

MAX_PAGES = 1_000  # per site; `--pages` changes it
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")
_MAX_PAGES_LINE = re.compile(r"^max_pages = .*$", re.MULTILINE)
_MAX_NAME_CHARS = 80
_HASH_CHARS = 8


def sites_folder() -> Path:
    """Return the folder with a project per crawled site; it may not exist."""
    return platformdirs.user_data_path("searchsocket") / "sites"


def is_crawled(location: str) -> bool:
    """Return True if a listed project was made by a crawl."""
    return Path(location).parent == sites_folder()


def site_name(url: str) -> str:
    """Return the name of a site: its host, and its path if it has one.

    Raises:
        ConfigError: The URL is not that of a website.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ConfigError(f"{url!r} is not the URL of a website: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError(f"{url!r} is not the URL of a website; it must begin with https:// or http:// and a host")
    if parts.query or parts.fragment:
        raise ConfigError(f"{url!r} has a query or a fragment; a crawl starts at a folder, such as https://{host}/docs")
    return _UNSAFE.sub("-", f"{host}{f':{port}' if port else ''}{parts.path.rstrip('/')}").strip("-.")[:_MAX_NAME_CHARS]


def site_project(url: str, max_pages: int | None) -> Path:
    """Make the project folder of a site with its settings; an existing one keeps them, except the number of pages.

    Raises:
        ConfigError: The URL is not that of a website.
        StateUnavailable, PermissionDenied: The folder cannot be written.
    """
    url = url.rstrip("/")
    digest = hashlib.sha256(url.encode()).hexdigest()[:_HASH_CHARS]
    folder = sites_folder() / f"{site_name(url)}-{digest}"
    path = folder / FILE_NAME
    try:
        make_private_folder(folder)
        text = path.read_text(encoding="utf-8") if path.exists() else _settings(url)
    except OSError as error:
        raise system_error("cannot make", folder, error) from error
    if max_pages is not None:
        text = _MAX_PAGES_LINE.sub(f"max_pages = {max_pages}", text)
    write_atomic(path, text.encode(), mode=0o600)  # a URL may contain a password
    return folder


def delete_site(folder: Path) -> None:
    """Delete the project folder of a site with its index.

    Raises:
        StateUnavailable, PermissionDenied: A file cannot be deleted.
    """
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise system_error("cannot delete", folder, error) from error


def _settings(url: str) -> str:
    parts = urlsplit(url)
    public = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return f"""# Written by `searchsocket mcp add`.
[project]
id = {json.dumps(site_name(url))}
base_url = {json.dumps(public)}

[scope]
mode = "fixed"
fixed = "main"

[source]
mode = "crawl"

[source.crawl]
base_url = {json.dumps(url)}
max_pages = {MAX_PAGES}
"""
