"""Load objects that installed packages provide as entry points."""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from searchsocket.errors import ConfigError, ConfigMissing, SearchSocketError

T = TypeVar("T")


def find_plugin(group: str, name: str, setting: str, built_in: str = "") -> EntryPoint:
    """Find the entry point with this name.

    Args:
        setting: The settings key with the name, for the error.
        built_in: Names that need no package; "" = none.

    Raises:
        ConfigMissing: No installed package has it; the message lists the known names.
    """
    points = entry_points(group=group)
    if name in points.names:
        return points[name]
    names = ", ".join(sorted(points.names)) or "none is installed"
    problem = f"neither built in ({built_in}) nor an entry point" if built_in else "no entry point"
    raise ConfigMissing(
        f"{setting} is {name!r}, which is {problem} {group} of an installed package ({names}); install its package, or "
        "correct the name"
    )


def make_plugin(point: EntryPoint, call: Callable[[EntryPoint], T], kind: str) -> T:
    """Load an entry point and call it.

    Args:
        call: Loads and calls the entry point.
        kind: For the error, for example "the embedder".

    Raises:
        ConfigError: It failed. The message contains only the type of the failure, since the failure's message and
            cause may contain a key.
    """
    try:
        return call(point)
    except SearchSocketError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001  (another package's)
        problem = type(error).__name__
    raise ConfigError(
        f"{kind} {point.name!r} could not be created from the entry point {point.value!r} ({problem})"
    )  # outside the handler, so that it has no cause
