"""A hash made while writing is the file's."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from searchsocket.stores.local.vectors.parts import HashedFile

DATA = bytes(range(256)) * 5000


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    path.write_bytes(DATA)
    return path


def test_the_hash_is_that_of_the_file(tmp_path: Path) -> None:
    rows = np.arange(12, dtype=np.float32).reshape(3, 4)
    with HashedFile(tmp_path / "new") as file:
        file.write(rows[:2].data)
        file.write(rows[2:].data)
    written = (tmp_path / "new").read_bytes()
    assert written == rows.tobytes()
    assert (file.entry.bytes, file.entry.sha256) == (48, hashlib.sha256(written).hexdigest())


def test_a_file_that_is_there_is_not_written_over(source: Path) -> None:
    with pytest.raises(FileExistsError):
        HashedFile(source)
    assert source.read_bytes() == DATA
