"""Names and titles that distinguish the sites of a search over several projects."""

import re
from collections.abc import Sequence

from searchsocket.errors import ConfigError
from searchsocket.project.project import Project
from searchsocket.stores.base import IndexReader

_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_SUBTITLE = re.compile(r"\s+[|·•—–»:-]\s+|:\s")  # a subtitle about the site follows


def site_names(projects: Sequence[Project]) -> list[str]:
    """Return the names of projects in addresses.

    Raises:
        ConfigError: Two names are equal.
    """
    names = [_NAME.sub("-", project.id).strip("-.") or "site" for project in projects]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"two of the projects have the id {double!r}; set project.id in one of them")
    return names


def configured_title(project: Project) -> str:
    """The name of a project's site: `llms.title`, else that in the generator's configuration; "" without both."""
    from searchsocket.sources.find import configured_name  # takes 0.05 s, and a query of the shell asks for no title

    return project.settings.llms.title or configured_name(project.root)


def home_title(reader: IndexReader) -> str:
    """The first part of the home page's title; "" without a home page."""
    home = reader.catalogue.page_records("/")[:1]
    return _SUBTITLE.split(home[0].page.title, maxsplit=1)[0] if home else ""
