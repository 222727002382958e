"""Load arrays from numpy files."""

import io
import zipfile
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
    for _ in range(_TRIES - 1):
        try:
            return _load(data)
        except SystemError:
            continue
    return _load(data)


def _load(data: bytes) -> object:
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if not isinstance(loaded, np.lib.npyio.NpzFile):
            return loaded
        with loaded as arrays:  # each array is parsed on access
            return dict(arrays)
    except (zipfile.BadZipFile, EOFError) as error:
        raise ValueError(str(error)) from error
