"""Call git: options that keep a repository's configuration from running programs, and the environment.

`-c` takes precedence over the repository's configuration. Other commands are git's own, which no alias can replace.
"""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

# No hook, file monitor or pager, and no transfer, since each could run a configured program.
SAFE = (
    "--no-pager",
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.fsmonitor=false",
    "-c", "core.quotePath=false",
    "-c", "protocol.allow=never",
)  # fmt: skip
# A hook of git that runs this sets others, which name its own repository, index and folder.
_OF_THE_USER = ("GIT_SSH", "GIT_ASKPASS", "GIT_CONFIG_", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_")
# git must not prompt, or take a lock in the user's repository.
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_FILTER_KEYS = {"clean": "", "smudge": "", "process": "", "required": "false"}
_TIMEOUT_S = 30.0


def git_command(folder: Path) -> list[str]:
    """The start of a git command in a folder; git is found on PATH."""
    return ["git", "-C", os.fspath(folder), *SAFE]


def git_environ() -> dict[str, str]:
    """The environment of a git command: that of this process, in which git finds the repository by the folder."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_OF_THE_USER)
    }
    return {**kept, **_QUIET}


def ask_git(folder: Path, *arguments: str) -> str:
    """Run git and return its short output.

    Raises:
        OSError, subprocess.SubprocessError: git cannot be run, fails, or takes too long.
    """
    process = subprocess.run(  # noqa: S603  no shell
        [*git_command(folder), *arguments],
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=True,
        env=git_environ(),
    )
    return process.stdout.strip()


def without_filters(names: bytes) -> Mapping[str, str]:
    """Environment in which git compares files as stored, without the filters of a repository.

    Args:
        names: Output of `git config --null --name-only --get-regexp ^filter`.
    """
    drivers = {key.split(".", 1)[1].rpartition(".")[0] for key in os.fsdecode(names).split("\0") if key.count(".") > 1}
    settings = [(f"filter.{name}.{key}", value) for name in sorted(drivers) for key, value in _FILTER_KEYS.items()]
    numbered = {f"GIT_CONFIG_KEY_{number}": key for number, (key, _) in enumerate(settings)}
    values = {f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in enumerate(settings)}
    return {"GIT_CONFIG_COUNT": str(len(settings)), **numbered, **values}
