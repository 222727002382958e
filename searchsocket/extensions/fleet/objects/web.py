"""Objects on a web server that serves a folder or a public bucket; they can only be read."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx

from searchsocket.errors import ArtifactsUnavailable, ConfigError
from searchsocket.extensions.fleet.objects.base import BLOCK_BYTES, ObjectInfo, ObjectMissing, redacted_address
from searchsocket.system.bounded_http import bounded_client

_TIMEOUT_S = 30.0  # of a request, and more for a large file that arrives at this rate
_LEAST_BYTES_PER_S = 50_000
_MAX_BYTES = 1 << 40  # callers stop at the size that they expect
# A proxy's cache would hide a new generation, and a compressed body has another size than the description states.
_HEADERS = {"accept-encoding": "identity", "cache-control": "no-cache"}
_GONE = (httpx.codes.NOT_FOUND, httpx.codes.GONE)


class WebObjects:
    """Implements `Objects`, except writing and listing."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self.address = redacted_address(url)
        self._client = bounded_client(
            _TIMEOUT_S,
            _MAX_BYTES,
            least_bytes_per_s=_LEAST_BYTES_PER_S,
            headers=_HEADERS,
            follow_redirects=True,
            max_redirects=5,
        )

    def stream(self, name: str) -> Iterator[bytes]:
        """Yield the object in blocks."""
        with self._reporting(name), self._client.stream("GET", self._address(name)) as response:
            self._check(response, name)
            yield from response.iter_bytes(BLOCK_BYTES)

    def size(self, name: str) -> int | None:
        """Return the bytes of the object; None if it does not exist."""
        with self._reporting(name):
            response = self._client.head(self._address(name))
        try:
            self._check(response, name)
        except ObjectMissing:
            return None
        return int(response.headers.get("content-length", "-1"))

    def put(self, name: str, data: bytes) -> None:
        """Write a small object; readers see the old or the new content, never a part."""
        raise self._only_read()

    def put_file(self, name: str, path: Path) -> None:
        """Write an object from a file; readers see the old or the new content, never a part."""
        raise self._only_read()

    def version(self, name: str) -> str | None:
        """Return the version of an object, another one after each write; None if it does not exist."""
        raise self._only_read()

    def age_s(self, name: str) -> float:
        """Return the seconds since the object was written, by the clock of the object store."""
        raise self._only_read()

    def put_if(self, name: str, data: bytes, version: str | None) -> str:
        """Write a small object if it still has this version, and return the new version."""
        raise self._only_read()

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Yield every object whose name begins with `prefix`, in no order."""
        raise self._only_read()

    def folders(self, prefix: str = "") -> Sequence[str]:
        """Return the names of the folders directly below `prefix`, sorted."""
        raise self._only_read()

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; missing ones are ignored."""
        raise self._only_read()

    def _address(self, name: str) -> str:
        return f"{self._url}/{quote(name)}"

    def _only_read(self) -> ConfigError:
        return ConfigError(
            f"{self.address} can only be read; to push, list and prune, use the folder or bucket behind it "
            f"(file://, s3://, gs://)"
        )

    def _check(self, response: httpx.Response, name: str) -> None:
        if response.status_code in _GONE:
            raise ObjectMissing(f"{self.address}: there is no {name}")
        if response.status_code != httpx.codes.OK:
            raise ArtifactsUnavailable(f"{self.address} answered {response.status_code} for {name}")

    @contextmanager
    def _reporting(self, name: str) -> Iterator[None]:
        try:
            yield
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise ArtifactsUnavailable(
                f"cannot read {name} at {self.address}: {error or type(error).__name__}"
            ) from error
