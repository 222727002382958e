"""Additions of an extension to the service of a project."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

from fastapi import Request

from search_api.endpoints.capabilities import OnAnswer
from search_api.endpoints.common import Freshness
from search_api.openapi import SearchApp
from searchsocket.project.project import Project
from searchsocket.serving.capabilities.base import Services
from searchsocket.serving.service import OnError, SearchService

OnReaction = Callable[[Request, str | None, str, Literal["refused", "not_helpful"]], None]


@dataclass(frozen=True, slots=True)
class AppContext:
    """An application under construction, and what its endpoints need."""

    app: SearchApp
    project: Project
    service: SearchService
    services: Services
    freshness: Freshness
    environ: Mapping[str, str]
    clock: Callable[[], datetime]
    on_error: OnError
    has_key: bool  # a key is configured, so callers can be trusted
    # Called with a question that was not answered in sentences, or whose answer did not help.
    on_reaction: list[OnReaction] = field(default_factory=list)

    @property
    def prefix(self) -> str:
        """The prefix of the endpoints, such as `/api`."""
        return prefix_of(self.project)


def prefix_of(project: Project) -> str:
    """The prefix of a project's endpoints, such as `/api`."""
    return project.settings.api.path.rpartition("/")[0]


class Added(NamedTuple):
    """The additions that the `endpoints` of an extension return."""

    on_search: OnAnswer | None = None  # called with each search
    beacon: str = ""  # the path to which pages report opened results
    # Adds endpoints whose paths match those of others, such as `/{page:path}.md`, after the requests of the API.
    any_path: Callable[[], None] | None = None
