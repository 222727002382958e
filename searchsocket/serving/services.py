"""Open the services of a project."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache

from searchsocket.project.project import Project
from searchsocket.serving.capabilities.base import Services, utc_now
from searchsocket.serving.content import open_content
from searchsocket.serving.parts import Keeping, PartContext, enabled_parts, open_parts
from searchsocket.serving.service import OnError, SearchService, open_service


def open_services(
    project: Project,
    environ: Mapping[str, str],
    *,
    clock: Callable[[], datetime] = utc_now,
    on_error: OnError,
    service: SearchService | None = None,
    keeping: Keeping | None = None,
    only_enabled: bool = False,
) -> Services:
    """Open the services of a project; those of content and of extensions open with the first call that needs them.

    Args:
        service: Use this service, which is open already.
        keeping: How extensions keep what they index up to date; None = not at all.
        only_enabled: Content has only the documents of extensions that the settings enable.

    Raises:
        ConfigError, ConfigMissing: A backend cannot be used.
    """
    search = service or open_service(project, environ, clock=clock, on_error=on_error)
    parts = open_parts(PartContext(project, environ, clock, on_error, search.store, keeping))
    documents = enabled_parts(project.settings, parts) if only_enabled else parts
    content = cache(lambda: open_content(project, environ, search, documents, clock=clock, on_error=on_error))
    return Services(project, search.scopes, lambda: search, content, parts, clock)
