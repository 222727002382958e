"""Object stores for artefacts, with one file per kind of store."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from searchsocket.errors import ConfigError
from searchsocket.extensions.fleet.objects.base import Objects, redacted_address

_WEB = ("http", "https")
# Scheme -> the extra that installs its client. Each client writes an object whole or not at all.
_BUCKETS = {"s3": "s3", "gs": "gcs", "memory": ""}


def open_objects(url: str, setting: str = "artifacts.url") -> Objects:
    """The objects below an address; nothing is read or written yet, and clients are loaded when they are needed.

    Args:
        url: `file:///folder`, `s3://bucket/prefix`, `gs://bucket/prefix`, or `https://host/path` to read only.
        setting: The setting with the address, for errors.

    Raises:
        ConfigError: The address is none of these.
        ConfigMissing: The client of its scheme is not installed.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ConfigError(f"{setting} is not a URL: {error}") from error
    if parts.query or parts.fragment:
        raise ConfigError(f"{setting} {redacted_address(url)}?… must not have a query or a fragment")
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path.startswith("/"):
        from searchsocket.extensions.fleet.objects.folder import FolderObjects

        return FolderObjects(Path(unquote(parts.path)))
    if parts.scheme in _WEB and parts.netloc:
        from searchsocket.extensions.fleet.objects.web import WebObjects

        return WebObjects(url)
    if parts.scheme in _BUCKETS and parts.netloc:
        from searchsocket.extensions.fleet.objects.bucket import BucketObjects

        return BucketObjects(url, _BUCKETS[parts.scheme])
    raise ConfigError(
        f"{setting} {redacted_address(url)[:200]!r} must be file:///folder, s3://bucket/prefix, "
        "gs://bucket/prefix, or https://host/path to read only"
    )
