"""Open the services of a project."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache, partial

from searchsocket.extensions.code.serving.keeper import CodeKeeper
from searchsocket.extensions.code.serving.service import open_code
from searchsocket.project.project import Project
from searchsocket.serving.capabilities.base import Services
from searchsocket.serving.content import open_content
from searchsocket.serving.service import OnError, SearchService, open_service


def open_services(
    project: Project,
    environ: Mapping[str, str],
    *,
    clock: Callable[[], datetime],
    on_error: OnError,
    service: SearchService | None = None,
    keeper: CodeKeeper | None = None,
) -> Services:
    """Open the services of a project; those of code and content open with the first call that needs them.

    Args:
        service: Use this service, which is open already.
        keeper: Keeps the index of the source code.

    Raises:
        ConfigError, ConfigMissing: A backend cannot be used.
    """
    search = service or open_service(project, environ, clock=clock, on_error=on_error)
    code = cache(partial(open_code, project, environ, clock=clock, on_error=on_error, site=search.store))
    content = cache(lambda: open_content(project, environ, search, code(), clock=clock, on_error=on_error))
    return Services(project, search.scopes, lambda: search, code, content, keeper)
