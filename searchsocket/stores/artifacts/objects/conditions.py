"""Conditional writes in buckets: each protocol names versions and conditions in its own way."""

import hashlib
import threading
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote

_memory = threading.Lock()
_S3_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey", "409", "412"}


class Conditions(Protocol):
    """Versions and conditional writes over one fsspec client."""

    def version(self, files: Any, path: str) -> str:
        """The version of an object.

        Raises:
            FileNotFoundError: There is no such object.
        """

    def put_if(self, files: Any, path: str, data: bytes, version: str | None) -> str:
        """Write an object that still has this version; None = that does not exist. Returns the new version.

        Raises:
            FileExistsError: It has another version.
        """


class _S3:
    """`If-Match` with an ETag, and `If-None-Match: *`."""

    def version(self, files: Any, path: str) -> str:
        return str(files.info(path)["ETag"])

    def put_if(self, files: Any, path: str, data: bytes, version: str | None) -> str:
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

    def version(self, files: Any, path: str) -> str:
        return str(files.info(path)["generation"])

    def put_if(self, files: Any, path: str, data: bytes, version: str | None) -> str:
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

    def version(self, files: Any, path: str) -> str:
        return hashlib.sha256(files.cat_file(path)).hexdigest()

    def put_if(self, files: Any, path: str, data: bytes, version: str | None) -> str:
        with _memory:
            if (self.version(files, path) if files.exists(path) else None) != version:
                raise FileExistsError(path)
            files.pipe_file(path, data)
        return hashlib.sha256(data).hexdigest()


CONDITIONS: Mapping[str, Conditions] = {"s3": _S3(), "gs": _Google(), "memory": _Memory()}
