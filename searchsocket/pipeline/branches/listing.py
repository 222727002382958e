"""List the existing branches of this clone or a remote; refuse a list that may be incomplete (spec 17, prune)."""

import os
import re
import signal
import subprocess
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from searchsocket.errors import BranchesUnknown, ConfigMissing, InvalidScope
from searchsocket.project.scopes import sanitise_scope
from searchsocket.system.git import git_command, git_environ

_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_ALL_HEADS = re.compile(r"\+?refs/heads/\*:")
_WORDS = 300  # characters of a git error message
# git must not prompt, run a program that a repository names, or take a lock in the user's repository.
_BATCH_SSH = {"GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/]*:")  # otherwise it is a path


@dataclass(frozen=True, slots=True)
class Branches:
    """All existing branches at one moment."""

    commits: Mapping[str, str]  # name -> commit id
    default: str  # "" if unknown
    origin: str  # where they were listed, in words
    has_remote: bool = True  # False: there may be branches that this repository does not know

    def scopes(self) -> Mapping[str, str]:
        """Scope name -> branch, see `scopes_of`."""
        return scopes_of(self.commits)


def scopes_of(names: Iterable[str]) -> Mapping[str, str]:
    """Map scope names to branches. A branch is also listed under its own name, the scope if `scope.sanitize` is off.

    A branch whose name has no usable character has no scope.
    """
    branches_by_scope = {}
    for branch in sorted(names):
        with suppress(InvalidScope):
            branches_by_scope[branch] = branches_by_scope[sanitise_scope(branch)] = branch
    return branches_by_scope


def list_branches(root: Path, remote: str, timeout_s: float) -> Branches:
    """List the branches of a remote if one is named, else those of the clone with `root` and of its remotes.

    Args:
        remote: Name or address of a remote repository; "" = this clone.
        timeout_s: Limit for each git command.

    Raises:
        BranchesUnknown: There may be branches that were not listed: git failed or took too long, listed none, or the
            clone is shallow or was made for some branches.
        ConfigMissing: git is not installed.
    """
    return _of_remote(root, remote, timeout_s) if remote else _of_clone(root, timeout_s)


def _of_remote(root: Path, remote: str, timeout_s: float) -> Branches:
    origin = f"remote {remote!r}"
    address = _git(root, ["ls-remote", "--get-url", "--", remote], timeout_s, origin).strip()
    if not _ADDRESS.match(address):
        top = _git(root, ["rev-parse", "--show-toplevel"], timeout_s, origin, may_fail=True).strip()
        address = os.path.join(top or root, address)
    answer = _git(None, ["ls-remote", "--symref", "--", address, "HEAD", f"{_HEADS}*"], timeout_s, origin)
    commits: dict[str, str] = {}
    default = ""
    for line in answer.splitlines():
        reference, _, name = line.partition("\t")
        if reference.startswith("ref: ") and name == "HEAD":
            default = reference.removeprefix("ref: ").removeprefix(_HEADS)
        elif name.startswith(_HEADS):
            commits[name.removeprefix(_HEADS)] = reference
    return _not_empty(Branches(commits, default, origin))


def _of_clone(root: Path, timeout_s: float) -> Branches:
    origin = f"the clone at {root}"

    def ask(*arguments: str, may_fail: bool = False) -> str:
        return _git(root, arguments, timeout_s, origin, may_fail=may_fail)

    if ask("rev-parse", "--is-shallow-repository").strip() != "false":
        raise BranchesUnknown(
            f"{origin} is shallow, so it may lack branches; run `git fetch --unshallow`, or set branches.remote"
        )
    remotes = ask("remote").split()
    for name in remotes:
        fetched = ask("config", "--get-all", f"remote.{name}.fetch", may_fail=True).split()
        if not any(map(_ALL_HEADS.match, fetched)):
            reason = f"contains only some branches of {name!r}" if fetched else f"fetches no branches of {name!r}"
            raise BranchesUnknown(f"{origin} {reason}; set branches.remote = {name!r} to list its branches")
    commits: dict[str, str] = {}
    for line in ask("for-each-ref", "--format=%(objectname) %(refname)", _HEADS, _REMOTES).splitlines():
        commit, _, ref = line.partition(" ")
        name = _branch_of(ref, remotes)
        if name:
            commits.setdefault(name, commit)  # a local branch comes first
    heads = (ask("symbolic-ref", "--quiet", f"{_REMOTES}{name}/HEAD", may_fail=True).strip() for name in remotes)
    default = next((_branch_of(head, remotes) for head in heads if head), "")
    return _not_empty(Branches(commits, default, origin, has_remote=bool(remotes)))


def _branch_of(ref: str, remotes: Sequence[str]) -> str:
    if ref.startswith(_HEADS):
        return ref.removeprefix(_HEADS)
    for name in remotes:
        prefix = f"{_REMOTES}{name}/"
        if ref.startswith(prefix) and ref != f"{prefix}HEAD":
            return ref.removeprefix(prefix)
    return ""


def _not_empty(branches: Branches) -> Branches:
    if not branches.commits:
        raise BranchesUnknown(
            f"{branches.origin} lists no branches, so searchsocket cannot determine which scopes to keep"
        )
    return branches


def _git(root: Path | None, arguments: Sequence[str], timeout_s: float, origin: str, *, may_fail: bool = False) -> str:
    """Run git and return its output.

    Args:
        root: A folder of the repository; None = no repository, so that only the user's configuration applies. The
            configuration of a repository may name programs for a transfer: ssh, upload-pack, credential helpers.
    """
    command = git_command(root) if root else ["git", "-c", "protocol.ext.allow=never"]
    nowhere = {} if root else {"GIT_DIR": os.devnull}
    try:
        process = subprocess.Popen(  # noqa: S603  no shell; a name that begins with a dash is after `--`
            [*command, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**_BATCH_SSH, **git_environ(), **nowhere},
            start_new_session=True,  # so that a timeout also ends child processes of git: ssh, a helper
        )
    except FileNotFoundError as error:
        raise ConfigMissing("git is not installed; searchsocket needs it to list branches") from error
    except OSError as error:
        raise BranchesUnknown(f"git cannot be started: {error.strerror or error}") from error
    try:
        output, errors = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired as error:
        raise BranchesUnknown(f"{origin} did not answer git within {timeout_s:g} s (branches.timeout_s)") from error
    finally:
        _end(process)
    if process.returncode and not may_fail:
        words = " ".join(errors.decode("utf-8", "replace").split())[:_WORDS]
        raise BranchesUnknown(f"git cannot list the branches of {origin}: {words or 'no error message'}")
    return output.decode("utf-8", "replace")


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def selected_scopes(branches: Branches, include: Sequence[str], exclude: Sequence[str]) -> Mapping[str, str]:
    """Map scope names to branches, for existing branches that match `include` and do not match `exclude`."""
    return {
        scope: branch
        for scope, branch in sorted(branches.scopes().items())
        if scope == sanitise_scope(branch) and _fits(branch, include) and not _fits(branch, exclude)
    }


def new_scopes(selected: Mapping[str, str], existing: Collection[str], limit: int) -> list[str]:
    """Return the first `limit` selected scopes, by name, that do not exist yet."""
    return [scope for scope in sorted(selected) if scope not in existing][:limit]


def _fits(branch: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(branch, pattern) for pattern in globs)
