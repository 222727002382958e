"""Scope names: the scope of a run, and the conversion of branch names (spec 6.1)."""

import hashlib
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.errors import ConfigMissing, InvalidScope
from searchsocket.system.git import ask_git

if TYPE_CHECKING:
    from searchsocket.project.settings.site import ScopeSettings

MAX_LENGTH = 80
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
_HASHED = re.compile(r".-[0-9a-f]{8}\Z")
# GitHub (pull request, then push), GitLab, Netlify, Vercel, Cloudflare Pages.
_CI_BRANCHES = (
    "GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "HEAD", "VERCEL_GIT_COMMIT_REF", "CF_PAGES_BRANCH"
)  # fmt: skip
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def is_scope_name(name: str) -> bool:
    """Return True if `name` is valid as a file name, a partition key and a URL part everywhere."""
    return (
        len(name) <= MAX_LENGTH and bool(_SAFE.match(name)) and ".." not in name and not name.endswith((".", ".lock"))
    )


def sanitise_scope(raw: str) -> str:
    """Convert any branch name to a scope name; different names stay different.

    A changed name gets a short hash of the original, so that `feature/a` and `feature-a` have different scopes.

    Raises:
        InvalidScope: No usable character is left of the name.
    """
    if is_scope_name(raw) and raw == raw.lower():
        return raw
    if not any(map(str.isalnum, raw)):
        raise InvalidScope(f"scope name {raw[:80]!r} has no letter or digit")
    name = re.sub(r"[.]{2,}", ".", _UNSAFE.sub("-", raw)).strip("-._").lower()[: MAX_LENGTH - 9].rstrip("-._")
    name = name or "branch"  # of letters that a file name should not have, such as `日本`
    return f"{name}-{hashlib.sha256(raw.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def branch_in(name: str) -> str:
    """The branch that a stated or final name implies; "" if the name may contain a hash."""
    return "" if is_scope_name(name) and _HASHED.search(name) else name


def stated_scope(settings: "ScopeSettings", root: Path, environ: Mapping[str, str], override: str | None = None) -> str:
    """The scope for a command, as stated: `--scope`, else the environment, the git branch, or the fixed
    name.

    Raises:
        ConfigMissing: The mode's source (variable, git branch) has no name.
    """
    return override if override is not None else _configured_scope(settings, root, environ)


def resolve_scope(settings: "ScopeSettings", raw: str) -> str:
    """The final name of a scope that is stated as `raw`.

    Raises:
        InvalidScope: The name needs sanitising and `scope.sanitize` is off, or no usable character is left of it.
    """
    if not settings.sanitize and not is_scope_name(raw):
        raise InvalidScope(
            f"scope name {raw[:80]!r} may contain only letters, digits, '.', '_' and '-' (scope.sanitize is off)"
        )
    return sanitise_scope(raw) if settings.sanitize else raw


def _configured_scope(settings: "ScopeSettings", root: Path, environ: Mapping[str, str]) -> str:
    if settings.mode == "fixed":
        return settings.fixed
    if settings.mode == "env":
        value = environ.get(settings.env_var, "").strip()
        if not value:
            raise ConfigMissing(f'scope.mode is "env" but {settings.env_var} is not set; set it or pass --scope')
        return value
    try:
        return git_branch(root)
    except ConfigMissing:
        # CI services check out a commit, and put its branch into a variable.
        name = next((value for variable in _CI_BRANCHES if (value := environ.get(variable, "").strip())), "")
        if not name:
            raise
        return name


def default_branch(root: Path) -> str:
    """The default branch of the repository's remote, otherwise `main` or `master`, otherwise the current branch.

    Returns:
        "" outside a repository, or if git cannot be run.
    """
    for arguments in (
        ("symbolic-ref", "--short", "--quiet", "refs/remotes/origin/HEAD"),
        ("rev-parse", "--verify", "--quiet", "--abbrev-ref", "refs/heads/main"),
        ("rev-parse", "--verify", "--quiet", "--abbrev-ref", "refs/heads/master"),
        ("symbolic-ref", "--short", "--quiet", "HEAD"),
    ):
        try:
            if name := ask_git(root, *arguments).removeprefix("origin/"):
                return name
        except (OSError, subprocess.SubprocessError):
            continue
    return ""


def named_default_branch(root: Path, environ: Mapping[str, str]) -> str:
    """The default branch by the remote `origin` or the CI service; without a remote, `main` or `master`.

    Returns:
        "" if it is unknown.
    """
    if branch := environ.get("CI_DEFAULT_BRANCH", "").strip():  # GitLab, whose clones do not have origin/HEAD
        return branch
    for arguments in (
        ("symbolic-ref", "--short", "--quiet", "refs/remotes/origin/HEAD"),
        ("config", "--get", "remote.origin.url"),
        ("rev-parse", "--verify", "--quiet", "--abbrev-ref", "refs/heads/main"),
        ("rev-parse", "--verify", "--quiet", "--abbrev-ref", "refs/heads/master"),
    ):
        try:
            name = ask_git(root, *arguments)
        except (OSError, subprocess.SubprocessError):
            continue
        if arguments[0] == "config":
            return ""
        if name:
            return name.removeprefix("origin/")
    return ""


def git_branch(root: Path) -> str:
    """The checked-out branch of the repository that contains `root`.

    Raises:
        ConfigMissing: No repository, or a detached HEAD.
    """
    try:
        branch = ask_git(root, "symbolic-ref", "--short", "--quiet", "HEAD")
    except subprocess.CalledProcessError:
        branch = ""
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigMissing(f'scope.mode is "git" but git cannot be run in {root}: {error}') from error
    if not branch:
        raise ConfigMissing(f'scope.mode is "git" but {root} is on no branch (detached HEAD?); pass --scope NAME')
    return branch
