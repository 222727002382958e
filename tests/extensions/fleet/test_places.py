"""Every place for artefacts keeps the same promises."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from uuid import uuid4

import pytest

from searchsocket.errors import ArtifactsUnavailable, ConfigError, ConfigMissing
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import Objects, ObjectsBelow
from tests.extensions.fleet.objects_contract import ReadingContract, WritingContract
from tests.file_server import file_server


class TestFolder(WritingContract):
    @pytest.fixture
    def objects(self, tmp_path: Path) -> Objects:
        return open_objects((tmp_path / "the place").as_uri())

    def test_a_write_that_failed_leaves_nothing(self, objects: Objects, tmp_path: Path) -> None:
        objects.put("pointer", b"first")
        with pytest.raises(TypeError):
            objects.put("pointer", "no bytes")  # type: ignore[arg-type]
        assert [info.name for info in objects.list("")] == ["pointer"]


class TestBucket(WritingContract):
    @pytest.fixture
    def objects(self) -> Objects:
        return open_objects(f"memory://bucket-{uuid4().hex}/prefix")


class TestBelow(WritingContract):
    @pytest.fixture
    def objects(self, tmp_path: Path) -> Objects:
        whole = open_objects(tmp_path.as_uri())
        whole.put("other/a.json", b"of another project")
        return ObjectsBelow(whole, "mine")


class TestWeb(ReadingContract):
    @pytest.fixture
    def written(self, tmp_path: Path, contents: dict[str, bytes]) -> Iterator[Objects]:
        for name, data in contents.items():
            path = tmp_path / "www" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        with file_server(tmp_path / "www") as url:
            yield open_objects(f"{url}/")

    def test_it_can_only_be_read(self, written: Objects) -> None:
        for write in (lambda: written.put("a", b""), lambda: written.delete(["a"]), lambda: list(written.list(""))):
            with pytest.raises(ConfigError, match="can only be read"):
                write()


def test_a_dead_server_is_an_error_that_may_pass() -> None:
    with pytest.raises(ArtifactsUnavailable, match="cannot read a"):
        open_objects("http://127.0.0.1:1/").size("a")


def test_nothing_secret_of_an_address_is_repeated() -> None:
    """Messages reach logs and terminals."""
    objects = open_objects("http://user:pass-word@127.0.0.1:1/base/")
    assert objects.address == "http://127.0.0.1:1/base"
    with pytest.raises(ArtifactsUnavailable) as caught:
        objects.size("a")
    assert "pass-word" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["artifacts", "/srv/artifacts", "file://host/share", "file:relative", "ftp://host/a", "s3://", "http://[x", ""],
)
def test_other_addresses_are_refused_with_those_that_work(url: str) -> None:
    with pytest.raises(ConfigError, match="artifacts.url"):
        open_objects(url)


def test_keys_in_an_address_are_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError) as caught:
        open_objects("https://host/base?sig=abcdef")
    assert "abcdef" not in str(caught.value)


@pytest.mark.parametrize(("url", "extra"), [("s3://bucket/a", "s3"), ("gs://bucket/a", "gcs")])
def test_a_missing_client_is_named_with_the_extra_that_brings_it(
    url: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for client in ("s3fs", "gcsfs"):
        monkeypatch.setitem(sys.modules, client, None)
    # Another test of this process may have used it.
    monkeypatch.delitem(import_module("fsspec.registry")._registry, url.partition(":")[0], raising=False)
    with pytest.raises(ConfigMissing, match=rf"searchsocket\[{extra}\]"):
        open_objects(url)
