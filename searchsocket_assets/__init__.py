"""Dagster definitions of searchsocket: they wire the library's stages together and compute nothing (spec 4.1).

`Site` is a component for YAML, and `site_definitions` the same as a function. Both load at first use, since the
command line imports other modules of this package without them.
"""

from importlib import import_module
from typing import Any

_PUBLIC = ("Site", "site_definitions")


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("searchsocket_assets.site_factory"), name)


def __dir__() -> list[str]:
    return [*globals(), *_PUBLIC]
