"""Contract of object stores: a reader sees a whole object or none."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from searchsocket.errors import ArtifactInvalid
from searchsocket.extensions.fleet.objects.base import ObjectChanged, ObjectMissing, Objects, read, read_version

LARGE = bytes(range(256)) * 12_000  # several blocks


class ReadingContract:
    """Reading. A subclass supplies `written`: objects in a store, read through the implementation under test."""

    @pytest.fixture
    def contents(self) -> dict[str, bytes]:
        return {"a.json": b"one", "deep/er/b.bin": LARGE, "empty": b"", "odd/.name_-1": b"dot"}

    def test_an_object_comes_back_as_it_was_written(self, written: Objects, contents: dict[str, bytes]) -> None:
        assert {name: b"".join(written.stream(name)) for name in contents} == contents

    def test_sizes_are_those_of_the_objects(self, written: Objects, contents: dict[str, bytes]) -> None:
        """A push asks for nothing else before it takes a file for sent."""
        assert {name: written.size(name) for name in contents} == {name: len(data) for name, data in contents.items()}

    def test_what_is_not_there_is_told_from_what_cannot_be_reached(self, written: Objects) -> None:
        assert written.size("deep/er/c.bin") is None
        with pytest.raises(ObjectMissing, match=r"c\.bin"):
            list(written.stream("deep/er/c.bin"))

    def test_a_large_object_comes_in_blocks_and_can_be_left(self, written: Objects) -> None:
        """Memory stays bounded however large a file is."""
        with closing(written.stream("deep/er/b.bin")) as blocks:  # type: ignore[type-var]
            assert 0 < len(next(blocks)) < len(LARGE)

    def test_a_small_object_is_not_read_beyond_its_limit(self, written: Objects) -> None:
        assert read(written, "a.json", 3) == b"one"
        with pytest.raises(ArtifactInvalid, match=r"b\.bin"):
            read(written, "deep/er/b.bin", 1000)


class WritingContract(ReadingContract):
    """Writing. A subclass supplies an empty `objects`."""

    @pytest.fixture
    def written(self, objects: Objects, contents: dict[str, bytes], tmp_path: Path) -> Objects:
        for name, data in contents.items():
            file = tmp_path / "source"
            file.write_bytes(data)
            objects.put_file(name, file)
        return objects

    def test_a_new_version_takes_the_place_of_the_old_one(self, objects: Objects) -> None:
        objects.put("pointer", b"a long first version")
        objects.put("pointer", b"second")
        assert (read(objects, "pointer", 100), objects.size("pointer")) == (b"second", 6)

    def test_a_conditional_write_needs_the_version_that_is_stored(self, objects: Objects) -> None:
        """The lease of a scope rests on it: of two writers that saw the same version, one is refused."""
        first = objects.put_if("pointer", b"first", None)
        assert objects.version("pointer") == first
        second = objects.put_if("pointer", b"second", first)
        for stale in (None, first):
            with pytest.raises(ObjectChanged, match="pointer"):
                objects.put_if("pointer", b"late", stale)
        assert read_version(objects, "pointer", 100) == (b"second", second)
        objects.delete(["pointer"])
        assert read_version(objects, "pointer", 100) == (b"", None)
        with pytest.raises(ObjectChanged, match="pointer"):
            objects.put_if("pointer", b"late", second)
        objects.put_if("pointer", b"again", None)

    def test_of_many_conditional_writes_at_once_one_is_done(self, objects: Objects) -> None:
        version = objects.put_if("pointer", b"first", None)

        def write(number: int) -> bool:
            with suppress(ObjectChanged):
                objects.put_if("pointer", b"%d" % number, version)
                return True
            return False

        with ThreadPoolExecutor(8) as pool:
            result = [number for number, is_done in enumerate(pool.map(write, range(8))) if is_done]
        assert [b"%d" % number for number in result] == [read(objects, "pointer", 100)]

    def test_a_list_has_what_lies_below_its_prefix(self, written: Objects, contents: dict[str, bytes]) -> None:
        listed = {info.name: info.bytes for info in written.list("deep/")}
        assert listed == {"deep/er/b.bin": len(LARGE)}
        assert list(written.list("nothing/")) == []

    def test_folders_are_those_directly_below_a_prefix(self, written: Objects) -> None:
        """A service over many projects finds them by it, without a list of all objects."""
        assert list(written.folders()) == ["deep", "odd"]
        assert list(written.folders("deep/")) == ["er"]

    def test_a_list_says_when_an_object_was_written(self, written: Objects) -> None:
        """Pruning goes by it."""
        (info,) = written.list("deep/")
        assert abs(datetime.now(UTC) - info.modified) < timedelta(minutes=5)

    def test_the_age_of_an_object_is_the_time_since_its_last_write(self, objects: Objects) -> None:
        """By the clock of the object store: clocks of machines may be wrong. Stores round times to seconds."""
        objects.put("pointer", b"first")
        assert -2 <= objects.age_s("pointer") < 60
        with pytest.raises(ObjectMissing):
            objects.age_s("nothing")

    def test_what_was_removed_is_gone_and_may_be_removed_again(self, written: Objects) -> None:
        written.delete(["a.json", "deep/er/b.bin"])
        written.delete(["a.json"])
        assert (written.size("a.json"), written.size("empty")) == (None, 0)
        assert list(written.list("deep/")) == []
