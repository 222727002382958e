"""Each project of a test keeps its embeddings to itself, away from the user's own cache.

A test that makes an environment of its own has to say so too, and fails where it does not.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import platformdirs

os.environ["SEARCHSOCKET_CACHE"] = ".searchsocket"

_CONFIG = TemporaryDirectory(prefix="searchsocket-config-")  # no list of projects; tests of it name a folder
os.environ["XDG_CONFIG_HOME"] = _CONFIG.name

_user_cache_path = platformdirs.user_cache_path
_OF_THE_USER = _user_cache_path("searchsocket")


def _nobodys_cache_path(*args: Any, **options: Any) -> Path:
    path = _user_cache_path(*args, **options)
    assert path != _OF_THE_USER, "a test reaches the cache of whoever runs it: SEARCHSOCKET_CACHE is not in its environ"
    return path


platformdirs.user_cache_path = _nobodys_cache_path
