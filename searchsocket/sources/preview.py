"""The address of a branch's preview: a host's alias for a branch is not our name of its scope."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from searchsocket.errors import ConfigMissing, InvalidScope, SourceUnavailable
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.source_kinds import PLACEHOLDER
from searchsocket.sources.git_objects import Repository
from searchsocket.types import Scope

_LABEL = 63  # characters of a part of a host's name, which hosts cut an alias to, or below
_NO_LABEL = re.compile(r"[^a-z0-9]+")


def branch_slug(branch: str, most: int = _LABEL) -> str:
    """A branch as hosts of previews name it: small letters, digits, and one hyphen for whatever else.

    Args:
        most: Characters; Cloudflare Pages has 28.
    """
    return _NO_LABEL.sub("-", branch.lower()).strip("-")[:most].rstrip("-")


def with_preview(settings: Settings, root: Path, scope: Scope) -> Settings:
    """The settings as one scope has them: with the address of its preview in `source.crawl.base_url`.

    What cannot be known stays as it is written, for whoever crawls to name.
    """
    stated = settings.source.crawl.base_url
    address = filled(stated, scope, lambda: _commit(root, scope))
    if address == stated:
        return settings
    crawl = settings.source.crawl.model_copy(update={"base_url": address})
    return settings.model_copy(update={"source": settings.source.model_copy(update={"crawl": crawl})})


def filled(address: str, scope: Scope, commit: Callable[[], str]) -> str:
    """An address with what stands in for a scope replaced; `{sha:7}` is the first seven characters."""

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
    """Refuse to crawl an address that is not whole.

    Raises:
        ConfigMissing: The branch or the commit of the scope is not known.
    """
    if mark := PLACEHOLDER.search(address):
        what = (
            "this clone lacks the commit of the scope's branch"
            if mark[1] == "sha"
            else "the branch of this scope is unknown"
        )
        raise ConfigMissing(
            f"source.crawl.base_url contains {mark[0]}, but {what}; pass `--scope BRANCH`, or fetch the branch"
        )


def _commit(root: Path, scope: Scope) -> str:
    with suppress(ConfigMissing, SourceUnavailable, InvalidScope):
        return Repository(root).resolve(scope.branch or scope.name)
    return ""
