"""Arrays as numpy files hold them."""

import io
import zipfile
from typing import Any

import numpy as np

_TRIES = 5


def load_arrays(data: bytes) -> Any:
    """Load an array with `np.load` from bytes that may contain no objects.

    CPython 3.11 confuses two threads that parse at once ("AST constructor recursion depth mismatch"), and numpy parses
    the head of each array; nothing is wrong with the data then.

    Raises:
        ValueError: The data is damaged.
    """
    for _ in range(_TRIES - 1):
        try:
            return _loaded(data)
        except SystemError:
            continue
    return _loaded(data)


def _loaded(data: bytes) -> Any:
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if not isinstance(loaded, np.lib.npyio.NpzFile):
            return loaded
        with loaded as arrays:  # each is parsed when it is asked for
            return dict(arrays)
    except (zipfile.BadZipFile, EOFError) as error:
        raise ValueError(str(error)) from error
