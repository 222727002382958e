"""Title and summary of a site, from the settings and the home page."""

from searchsocket.content.llms.site import AgentSite
from searchsocket.content.pages import Page
from searchsocket.project.settings.model import Settings


def agent_site(settings: Settings, project_id: str, base: str, home: Page | None, *, origin: str) -> AgentSite:
    """The site of a scope.

    Args:
        base: The path that it lies under.
        home: Its home page, where it has one.
        origin: What links begin with, see `AgentSite`.
    """
    stated, api = settings.llms, settings.api
    host = api.public_url.rstrip("/")  # a site that is only files may have no search at its own address
    return AgentSite(
        title=stated.title or (home.facts.title if home else "") or project_id,
        summary=stated.summary or (home.facts.description if home else ""),
        origin=origin,
        base=base,
        search=f"{host}{api.path}" if host or not origin else "",
        mcp=f"{host}{settings.mcp.http.path}" if settings.mcp.enable and (host or not origin) else "",
    )
