"""Load arrays from numpy files."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.integer]  # of any size
_TRIES = 5


def narrow(values: Integers) -> Integers:
    """The same integers, in the smallest type that fits."""
    if not len(values):
        return values.astype(np.uint8)
    return values.astype(np.result_type(np.min_scalar_type(values.min()), np.min_scalar_type(values.max())))


def has_repeated(values: Integers) -> bool:
    """Return True if two of the values are equal."""
    ordered = np.sort(values)
    return bool((ordered[1:] == ordered[:-1]).any())


def saved_array(array: NDArray[np.generic]) -> bytes:
    """The array as an `.npy` file."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def load_arrays(data: bytes) -> Any:
    """Load an array with `np.load` from bytes that may contain no objects.

    CPython 3.11 confuses two threads that parse at the same time ("AST constructor recursion depth mismatch"), and
    numpy parses the header of each array. The data itself is fine then, so the load is repeated.

    Raises:
        ValueError: The data is damaged.
    """
    return _repeated(lambda: _load(data))


def mapped_array(path: Path) -> NDArray[Any]:
    """Map an array from a file: what is not used takes no memory, and processes share the rest.

    Raises:
        ValueError: The file is damaged.
        OSError: It cannot be read.
    """
    return np.asarray(_repeated(lambda: np.load(path, mmap_mode="r", allow_pickle=False)))


def _repeated(load: Callable[[], Any]) -> Any:
    for _ in range(_TRIES - 1):
        try:
            return load()
        except SystemError:
            continue
    return load()


def _load(data: bytes) -> object:
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if not isinstance(loaded, np.lib.npyio.NpzFile):
            return loaded
        with loaded as arrays:  # each array is parsed on access
            return dict(arrays)
    except (zipfile.BadZipFile, EOFError) as error:
        raise ValueError(str(error)) from error
