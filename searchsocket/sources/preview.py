"""Address of a branch's preview; the host's alias for a branch differs from the scope name."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from searchsocket.errors import ConfigMissing, InvalidScope, SourceUnavailable
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.source_kinds import PLACEHOLDER, source_kind
from searchsocket.sources.git_objects import Repository
from searchsocket.types import Scope

_LABEL = 63  # maximum characters of a host name label; hosts cut aliases to this or less
_NO_LABEL = re.compile(r"[^a-z0-9]+")


def branch_slug(branch: str, most: int = _LABEL) -> str:
    """The name of a branch in preview hosts: small letters, digits, and one hyphen for all other characters.

    Args:
        most: Maximum characters; 28 for Cloudflare Pages.
    """
    return _NO_LABEL.sub("-", branch.lower()).strip("-")[:most].rstrip("-")


def with_preview(settings: Settings, root: Path, scope: Scope, mode: str | None = None) -> Settings:
    """The settings for one scope: with the address of its preview as that of the source.

    `mode` overrides `source.mode`.

    Unknown placeholders stay in the address; `refuse_open_places` reports them.
    """
    source = settings.source
    template = source.address(mode)
    address = filled(template, scope, lambda: _commit(root, scope))
    if address == template:
        return settings
    kind = source_kind(mode or source.mode)
    section = source.of_mode(mode).model_copy(update={kind.address_key: address})
    return settings.model_copy(update={"source": source.model_copy(update={kind.section: section})})


def filled(address: str, scope: Scope, commit: Callable[[], str]) -> str:
    """Replace the placeholders for a scope in an address; `{sha:7}` is the first seven characters."""

    def value(mark: re.Match[str]) -> str:
        most = int(mark[2] or 0)
        if mark[1] == "scope":
            text = scope.name
        elif mark[1] == "sha":
            text = commit()
        elif mark[1] == "branch":
            text = scope.branch
        else:
            text = branch_slug(scope.branch, most or _LABEL)
        return (text[:most] if most else text) or mark[0]

    return PLACEHOLDER.sub(value, address)


def refuse_open_places(address: str, setting: str) -> None:
    """Refuse to read from an address with unresolved placeholders.

    Args:
        setting: The setting with the address.

    Raises:
        ConfigMissing: The branch or the commit of the scope is unknown.
    """
    if mark := PLACEHOLDER.search(address):
        problem = (
            "this clone lacks the commit of the scope's branch"
            if mark[1] == "sha"
            else "the branch of this scope is unknown"
        )
        raise ConfigMissing(f"{setting} contains {mark[0]}, but {problem}; pass `--scope BRANCH`, or fetch the branch")


def _commit(root: Path, scope: Scope) -> str:
    with suppress(ConfigMissing, SourceUnavailable, InvalidScope):
        return Repository(root).resolve(scope.branch or scope.name)
    return ""
