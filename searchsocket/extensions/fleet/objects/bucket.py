"""Objects in a cloud bucket, through fsspec. Its clients take credentials from the environment."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from urllib.parse import quote, urlsplit

import fsspec

from searchsocket.errors import ArtifactsUnavailable, ConfigMissing
from searchsocket.extensions.fleet.objects.base import (
    BLOCK_BYTES,
    ObjectChanged,
    ObjectInfo,
    ObjectMissing,
    redacted_address,
)
from searchsocket.system.json_text import JsonObject

_MODIFIED = ("LastModified", "mtime", "created")
_MAX_MESSAGE_CHARS = 300
# Of an answer. A bucket that never answers is an error after three minutes: Google's client tries six times, those of
# S3, one inside the other, as often.
_TIMEOUT_S = 30.0
_S3_TRIES, _S3_OUTER_TRIES = 3, 2
_memory = threading.Lock()
_S3_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey", "409", "412"}


class BucketObjects:
    """Implements `Objects`."""

    def __init__(self, url: str, extra: str) -> None:
        """Load the client; sends no request yet.

        Args:
            extra: The extra of this package that installs the client.

        Raises:
            ConfigMissing: The client of this scheme is not installed.
        """
        scheme = urlsplit(url).scheme
        self.address = redacted_address(url)
        self._conditions = CONDITIONS[scheme]
        try:
            self._files, self._root = fsspec.url_to_fs(
                url.rstrip("/"), use_listings_cache=False, skip_instance_cache=True, **_client_options(scheme)
            )
        except ImportError as error:
            raise ConfigMissing(
                f"{self.address} needs a client; install it with `pip install 'searchsocket[{extra}]'`"
            ) from error
        if scheme == "s3":
            self._files.retries = _S3_OUTER_TRIES

    def stream(self, name: str) -> Iterator[bytes]:
        """Yield the object in blocks."""
        with self._reporting("read", name), self._files.open(self._path(name), "rb", block_size=BLOCK_BYTES) as file:
            while block := file.read(BLOCK_BYTES):
                yield block

    def size(self, name: str) -> int | None:
        """Return the bytes of the object; None if it does not exist."""
        try:
            with self._reporting("read", name):
                return int(self._files.info(self._path(name))["size"])
        except ObjectMissing:
            return None

    def put(self, name: str, data: bytes) -> None:
        """Write a small object; readers see the old or the new content, never a part."""
        with self._reporting("write", name):
            self._files.pipe_file(self._path(name), data)

    def put_file(self, name: str, path: Path) -> None:
        """Write an object from a file; readers see the old or the new content, never a part."""
        with self._reporting("write", name):
            self._files.put_file(str(path), self._path(name))

    def version(self, name: str) -> str | None:
        """Return the ETag of the object in S3, its generation in Google's buckets; None if it does not exist."""
        try:
            with self._reporting("read", name):
                return self._conditions.version(self._files, self._path(name))
        except ObjectMissing:
            return None

    def age_s(self, name: str) -> float:
        """Return the seconds since the object was written, by the clock of the object store."""
        with self._reporting("read", name):
            modified, now = self._conditions.times(self._files, self._path(name))
            return (now - modified).total_seconds()

    def put_if(self, name: str, data: bytes, version: str | None) -> str:
        """Write a small object if it still has this version, and return the new version."""
        with self._reporting("write", name):
            try:
                return self._conditions.put_if(self._files, self._path(name), data, version)
            except FileExistsError as error:
                raise ObjectChanged(f"{self.address}: {name} was changed by another process") from error

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Yield every object whose name begins with `prefix`, in no order."""
        with self._reporting("list", prefix):
            listed = self._files.find(self._path(prefix), detail=True)
        start = len(self._path(""))
        for path, info in listed.items():
            yield ObjectInfo(path[start:], int(info["size"]), self._modified(path, info))

    def folders(self, prefix: str = "") -> Sequence[str]:
        """Return the names of the folders directly below `prefix`, sorted."""
        with self._reporting("list", prefix or "the folders"):
            entries = self._files.ls(self._path(prefix).rstrip("/"), detail=True)
        paths = (str(entry["name"]).rstrip("/") for entry in entries if entry["type"] == "directory")
        return sorted(path.rpartition("/")[2] for path in paths)

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; missing ones are ignored."""
        for name in names:
            try:
                with self._reporting("remove", name):
                    self._files.rm_file(self._path(name))
            except ObjectMissing:
                continue

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _modified(self, path: str, info: JsonObject) -> datetime:
        stated = next((info[key] for key in _MODIFIED if isinstance(info.get(key), datetime)), None)
        modified: datetime = stated or self._files.modified(path)
        return modified if modified.tzinfo else modified.replace(tzinfo=UTC)

    @contextmanager
    def _reporting(self, action: str, name: str) -> Iterator[None]:
        try:
            yield
        except ArtifactsUnavailable:
            raise
        except FileNotFoundError as error:
            raise ObjectMissing(f"{self.address}: there is no {name}") from error
        except Exception as error:  # each client has errors of its own
            if type(error).__name__ == "FileExpired":
                raise ObjectChanged(f"{self.address}: {name} was changed by another process") from error
            message = f"{type(error).__name__}: {error}"[:_MAX_MESSAGE_CHARS]
            raise ArtifactsUnavailable(f"cannot {action} {name} at {self.address}: {message}") from error


def _client_options(scheme: str) -> JsonObject:
    """Options of a client: timeouts, and no redirects, because another host is not the bucket.

    Raises:
        ImportError: The client is not installed.
    """
    if scheme == "memory":
        return {}
    import aiohttp

    trace = aiohttp.TraceConfig()
    trace.on_request_redirect.append(_refuse_redirect)
    if scheme == "gs":
        return {"timeout": _TIMEOUT_S, "session_kwargs": {"trace_configs": [trace]}}
    from aiobotocore.httpsession import AIOHTTPSession  # type: ignore[import-untyped]

    class Session(AIOHTTPSession):  # type: ignore[misc]
        # aiobotocore has no option for this; a test with a server that redirects guards the name.
        async def _get_session(self, proxy_url: str | None) -> aiohttp.ClientSession:
            session: aiohttp.ClientSession = await super()._get_session(proxy_url)
            if not session.trace_configs:
                trace.freeze()
                session.trace_configs.append(trace)
            return session

    times = {"connect_timeout": 10, "read_timeout": _TIMEOUT_S, "retries": {"total_max_attempts": _S3_TRIES}}
    return {"config_kwargs": {**times, "http_session_cls": Session}}


async def _refuse_redirect(*_: object) -> None:
    raise PermissionError("the object store redirects to another address")


Client: TypeAlias = Any  # a file system of fsspec, which has no types


class Conditions(Protocol):
    """Versions and conditional writes over one fsspec client."""

    def version(self, files: Client, path: str) -> str:
        """The version of an object.

        Raises:
            FileNotFoundError: There is no such object.
        """

    def times(self, files: Client, path: str) -> tuple[datetime, datetime]:
        """The time of an object's last write, and the present time, both by the clock of the server.

        Raises:
            FileNotFoundError: There is no such object.
        """

    def put_if(self, files: Client, path: str, data: bytes, version: str | None) -> str:
        """Write an object that still has this version; None = that does not exist. Returns the new version.

        Raises:
            FileExistsError: It has another version.
        """


class _S3:
    """`If-Match` with an ETag, and `If-None-Match: *`."""

    def version(self, files: Client, path: str) -> str:
        return str(files.info(path)["ETag"])

    def times(self, files: Client, path: str) -> tuple[datetime, datetime]:
        bucket, key, _ = files.split_path(path)
        answer = files.call_s3("head_object", Bucket=bucket, Key=key)
        return answer["LastModified"], _date(answer["ResponseMetadata"]["HTTPHeaders"])

    def put_if(self, files: Client, path: str, data: bytes, version: str | None) -> str:
        bucket, key, _ = files.split_path(path)
        condition = {"IfNoneMatch": "*"} if version is None else {"IfMatch": version}
        try:
            return str(files.call_s3("put_object", Bucket=bucket, Key=key, Body=data, **condition)["ETag"])
        except OSError as error:
            answer = getattr(error.__cause__, "response", {})
            if answer.get("Error", {}).get("Code") in _S3_CHANGED:
                raise FileExistsError(path) from error
            raise


class _Google:
    """`ifGenerationMatch`; generation 0 = no object."""

    def version(self, files: Client, path: str) -> str:
        return str(files.info(path)["generation"])

    def times(self, files: Client, path: str) -> tuple[datetime, datetime]:
        bucket, key, _ = files.split_path(path)
        headers, body = files.call("GET", "b/{}/o/{}", bucket, key)
        return datetime.fromisoformat(json.loads(body)["updated"]), _date(headers)

    def put_if(self, files: Client, path: str, data: bytes, version: str | None) -> str:
        bucket, key, _ = files.split_path(path)
        uploads = files.base.replace("/storage/v1/", "/upload/storage/v1/")
        stored = files.call(
            "POST",
            f"{uploads}b/{quote(bucket)}/o",
            uploadType="media",
            name=key,
            ifGenerationMatch=version or "0",
            data=data,
            headers={"Content-Type": "application/octet-stream"},
            json_out=True,
        )
        return str(stored["generation"])


class _Memory:
    """fsspec's objects in the memory of this process."""

    def version(self, files: Client, path: str) -> str:
        return hashlib.sha256(files.cat_file(path)).hexdigest()

    def times(self, files: Client, path: str) -> tuple[datetime, datetime]:
        return files.modified(path), datetime.now(UTC)

    def put_if(self, files: Client, path: str, data: bytes, version: str | None) -> str:
        with _memory:
            if (self.version(files, path) if files.exists(path) else None) != version:
                raise FileExistsError(path)
            files.pipe_file(path, data)
        return hashlib.sha256(data).hexdigest()


def _date(headers: Mapping[str, str]) -> datetime:
    """The time of an answer, by the clock of its server; by that of this machine if the server states none."""
    stated = next((value for name, value in headers.items() if name.lower() == "date"), "")
    return parsedate_to_datetime(stated) if stated else datetime.now(UTC)


CONDITIONS: Mapping[str, Conditions] = {"s3": _S3(), "gs": _Google(), "memory": _Memory()}
