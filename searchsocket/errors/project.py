"""What is wrong with the project on this machine: its settings, its folders, its files."""

from collections.abc import Sequence

from searchsocket.errors.base import SearchSocketError


class ConfigError(SearchSocketError):
    """The configuration file, an environment override or a flag cannot be used."""

    code = "CONFIG_INVALID"


class ConfigMissing(SearchSocketError):
    """Something that the project must provide is not there: a build folder, an index, a key."""

    code = "CONFIG_MISSING"


class KeyMissing(ConfigMissing):
    """The environment lacks the key or the address of a provider."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


class UnsafePath(SearchSocketError):
    """A name from outside leads outside the folder it belongs to."""

    code = "UNSAFE_PATH"


class StateUnavailable(SearchSocketError):
    """The state directory cannot be read or written: full disk, read-only, damaged."""

    code = "STATE_UNAVAILABLE"


class PermissionDenied(StateUnavailable):
    """A file or folder belongs to another user, who does not let this one in; it is neither damaged nor busy."""

    code = "PERMISSION_DENIED"


class AlreadyRunning(SearchSocketError):
    """Dagster's user interface and daemon run already over the same home."""

    code = "ALREADY_RUNNING"
    retryable = True

    def __init__(self, home: str, address: str, processes: Sequence[int]) -> None:
        pids = " ".join(map(str, processes))
        super().__init__(
            f"Dagster runs already over {home}, at {address}; open that, or end it first"
            + (f": kill {pids}" if pids else "")
        )


class ProjectMismatch(SearchSocketError):
    """The place belongs to another project, so this one is refused there."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix

    code = "PROJECT_MISMATCH"
