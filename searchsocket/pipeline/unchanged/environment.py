"""Inputs of a run besides files: the environment of the process, and the code.

Imports only the standard library, since it runs before anything else is loaded.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256

# Variables that a terminal, shell or login sets about itself. All others are included: a proxy, a home folder or a
# variable of another tool may affect a run.
_OF_TERMINALS = re.compile(
    r"_|PWD|OLDPWD|SHLVL|TERM|COLORTERM|COLUMNS|LINES|WINDOWID|DISPLAY|WAYLAND_DISPLAY|STY|PS[12]|LS_COLORS|LESS|PAGER"
    r"|EDITOR|VISUAL|NO_COLOR|FORCE_COLOR|CLICOLOR|HIST\w+|INVOCATION_ID|JOURNAL_STREAM|DBUS_SESSION_BUS_ADDRESS|MAIL"
    r"|LOGNAME|INIT_CWD|MFLAGS|PYTEST_CURRENT_TEST"
    r"|(?:SSH_|TMUX|TERM_|VTE_|KONSOLE_|ITERM_|XDG_SESSION_|GNOME_|VSCODE_|MAKE|npm_)\w*"
)
CONFIGURATION = ("searchsocket.toml", "pyproject.toml", "package.json")  # files with the settings of a project
_DEPTH = 4  # depth of this file below the folder with the packages
_CODE = ("searchsocket", "searchsocket_assets")
_STATE_DIR = ".searchsocket"
_VARIABLE = "SEARCHSOCKET__STATE__DIR"


def digest(environ: Mapping[str, str]) -> str:
    """Digest of the environment, user, interpreter, installed packages, and this project's code.

    Raises:
        OSError: The code cannot be listed.
    """
    fingerprint = sha256()
    for name in sorted(environ):
        if not _OF_TERMINALS.fullmatch(name):
            fingerprint.update(f"{name}={environ[name]}\0".encode("utf-8", "surrogateescape"))
    fingerprint.update(f"{sys.version} {sys.prefix} {os.geteuid() if hasattr(os, 'geteuid') else ''}\n".encode())
    root = os.path.abspath(__file__).rsplit(os.sep, _DEPTH)[0]  # a link to the file is not followed
    code = (line for package in _CODE for line in sorted(_files(os.path.join(root, package))))
    for line in (*_installed_packages(), *code):
        fingerprint.update(line.encode("utf-8", "surrogateescape"))
    return fingerprint.hexdigest()


def _installed_packages() -> Iterator[str]:
    """Folders of installed packages and their times; installing or removing a package changes the folder.

    Raises:
        OSError: A folder cannot be read.
    """
    for folder in sys.path:
        if folder.endswith("-packages") and os.path.isdir(folder):
            yield f"{folder} {os.stat(folder).st_mtime_ns}\n"


def _files(folder: str) -> Iterator[str]:
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.name == "__pycache__":
                    continue
                if entry.is_dir():
                    pending.append(entry.path)
                else:
                    info = entry.stat()
                    yield f"{entry.path} {info.st_size} {info.st_mtime_ns} {info.st_ino}\n"


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
