"""The state folder in `.gitignore`, for a command that writes nothing else of a site."""

from pathlib import Path

_IGNORED = b".searchsocket/"


def ignore_state(root: Path) -> bool:
    """Have git ignore the state folder; whether it did not yet.

    Raises:
        StateUnavailable: The file cannot be written.
    """
    from searchsocket.errors import StateUnavailable

    path = root / ".gitignore"
    try:
        old = path.read_bytes() if path.exists() else b""
        if {b"/" + _IGNORED, _IGNORED, _IGNORED.rstrip(b"/")} & {line.strip() for line in old.splitlines()}:
            return False
        with open(path, "ab") as file:  # appended, so that what is there stays as it is
            file.write((b"" if not old or old.endswith(b"\n") else b"\n") + _IGNORED + b"\n")
    except OSError as error:
        raise StateUnavailable(f"cannot write {path}: {error.strerror}") from error
    return True
