"""Copies of big files are whole, whatever the file system can do; a hash made while writing is the file's."""

import errno
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from searchsocket.stores.local.hashed_file import HashedFile
from searchsocket.system.copying import copy_file

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
    with pytest.raises(FileExistsError):
        copy_file(source, source)
    assert source.read_bytes() == DATA


@pytest.mark.parametrize("size", [0, 1, len(DATA)])
def test_a_copy_is_whole(tmp_path: Path, source: Path, size: int) -> None:
    source.write_bytes(DATA[:size])
    copy_file(source, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == DATA[:size]


@pytest.mark.parametrize("code", [errno.EXDEV, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_this_copy_gets_another(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "copy_file_range", refuse)
    copy_file(source, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == DATA
    monkeypatch.delattr(os, "copy_file_range")
    copy_file(source, tmp_path / "another")
    assert (tmp_path / "another").read_bytes() == DATA


def test_a_full_disk_and_a_file_that_shrinks_are_errors(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "copy_file_range", full)
    with pytest.raises(OSError, match="full"):
        copy_file(source, tmp_path / "copy")
    monkeypatch.setattr(os, "copy_file_range", lambda *_: 0)
    with pytest.raises(OSError, match="shorter"):
        copy_file(source, tmp_path / "another")
