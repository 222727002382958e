"""Errors about the project on this machine: settings, folders, files."""

from collections.abc import Sequence

from searchsocket.errors.base import SearchSocketError


class ConfigError(SearchSocketError):
    """The configuration file, an environment variable or an option is invalid."""

    code = "CONFIG_INVALID"


class ConfigMissing(SearchSocketError):
    """Something that the project must provide is missing: a build folder, an index, a key."""

    code = "CONFIG_MISSING"


class AddressInUse(SearchSocketError):
    """Another program listens on the host and port that the service should bind."""

    code = "ADDRESS_IN_USE"


class KeyMissing(ConfigMissing):
    """The environment variable with the key or the URL of a provider is not set."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


class UnsafePath(SearchSocketError):
    """An external name points outside its folder."""

    code = "UNSAFE_PATH"


class StateUnavailable(SearchSocketError):
    """The state folder cannot be read or written: full disk, read-only, damaged."""

    code = "STATE_UNAVAILABLE"


class PermissionDenied(StateUnavailable):
    """You do not have permission to read or write this file or folder."""

    code = "PERMISSION_DENIED"


class AlreadyRunning(SearchSocketError):
    """Dagster's UI and daemon already run with the same home."""

    code = "ALREADY_RUNNING"
    retryable = True

    def __init__(self, home: str, address: str, processes: Sequence[int]) -> None:
        pids = " ".join(map(str, processes))
        super().__init__(
            f"Dagster already runs with {home}, at {address}; open that URL, or stop that process first"
            + (f": kill {pids}" if pids else "")
        )


class ProjectMismatch(SearchSocketError):
    """The index or store belongs to another project."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix

    code = "PROJECT_MISMATCH"
