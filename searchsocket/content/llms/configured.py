"""Title and summary of a site, from the settings and the home page."""

from searchsocket.content.llms.site import AgentSite
from searchsocket.content.pages import Page
from searchsocket.project.settings.model import Settings


def agent_site(settings: Settings, project_id: str, base: str, home: Page | None, *, origin: str) -> AgentSite:
    """Make the `AgentSite` of a scope.

    Args:
        base: The URL path under which it is served.
        home: Its home page, if there is one.
        origin: Scheme and host of links, see `AgentSite`.
    """
    texts, api = settings.llms, settings.api
    host = api.public_url.rstrip("/")  # the host of a static site may not serve the search
    return AgentSite(
        title=texts.title or (home.facts.title if home else "") or project_id,
        summary=texts.summary or (home.facts.description if home else ""),
        origin=origin,
        base=base,
        search=f"{host}{api.path}" if host or not origin else "",
        mcp=f"{host}{settings.mcp.http.path}" if settings.mcp.enable and (host or not origin) else "",
    )
