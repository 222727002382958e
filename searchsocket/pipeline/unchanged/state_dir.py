"""Path of the state folder without reading the settings. Imports only the standard library."""

import os
from collections.abc import Mapping
from contextlib import suppress

_STATE_DIR = ".searchsocket"
_VARIABLE = "SEARCHSOCKET__STATE__DIR"


def state_dir_of(root: str, environ: Mapping[str, str]) -> str:
    """The path of the state folder; with a wrong guess no record is found, and a run starts."""
    folder = environ.get(_VARIABLE, "")
    for name, keys in ((("pyproject.toml"), ("tool", "searchsocket", "state")), (("searchsocket.toml"), ("state",))):
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            with open(os.path.join(root, name), "rb") as file:
                data = file.read()
            if b"state" in data:
                import tomllib  # takes as long as everything else

                values = tomllib.loads(data.decode())
                for key in keys:
                    values = values[key]
                folder = folder or str(values["dir"])
    return os.path.join(root, folder or _STATE_DIR)
