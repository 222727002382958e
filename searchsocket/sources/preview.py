"""Address of a branch's preview; the host's alias for a branch differs from the scope name."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from searchsocket.errors import ConfigMissing, InvalidScope, SourceUnavailable
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.source_kinds import PLACEHOLDER
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


def with_preview(settings: Settings, root: Path, scope: Scope) -> Settings:
    """The settings for one scope: with the address of its preview in `source.crawl.base_url`.

    Unknown placeholders stay in the address; `refuse_open_places` reports them.
    """
    template = settings.source.crawl.base_url
    address = filled(template, scope, lambda: _commit(root, scope))
    if address == template:
        return settings
    crawl = settings.source.crawl.model_copy(update={"base_url": address})
    return settings.model_copy(update={"source": settings.source.model_copy(update={"crawl": crawl})})


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


def refuse_open_places(address: str) -> None:
    """Refuse to crawl an address with unresolved placeholders.

    Raises:
        ConfigMissing: The branch or the commit of the scope is unknown.
    """
    if mark := PLACEHOLDER.search(address):
        problem = (
            "this clone lacks the commit of the scope's branch"
            if mark[1] == "sha"
            else "the branch of this scope is unknown"
        )
        raise ConfigMissing(
            f"source.crawl.base_url contains {mark[0]}, but {problem}; pass `--scope BRANCH`, or fetch the branch"
        )


def _commit(root: Path, scope: Scope) -> str:
    with suppress(ConfigMissing, SourceUnavailable, InvalidScope):
        return Repository(root).resolve(scope.branch or scope.name)
    return ""
