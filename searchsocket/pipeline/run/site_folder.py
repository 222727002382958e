"""The folder of a site to which stages write next to its pages."""

from pathlib import Path

from searchsocket.errors import ConfigMissing
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.sources.build_folder import root_of_site


def site_folder(run: ScopeRun, configured: str, section: str) -> Path:
    """The folder of the site's root: the configured one, otherwise that of the build.

    Args:
        section: Section of the settings whose `dir` is the configured folder.

    Raises:
        ConfigMissing: No folder is configured, and the pages are not those of a build folder.
    """
    project, scope = run.project, run.scope.name
    if configured:
        return project.root / configured.replace("{scope}", scope)
    folder = built_site(run)
    if folder is None:
        mode = run.make_source().origin.mode
        raise ConfigMissing(
            f"[{section}] writes next to the pages, but these come from {mode}, so there is no build folder; "
            f'set {section}.dir, e.g. "static"'
        )
    return folder


def built_site(run: ScopeRun) -> Path | None:
    """The root of the site in its build folder; None if the pages do not come from a build."""
    source = run.make_source()
    return root_of_site(run.project.root / source.origin.folder, run.site.path) if source.kind.is_build else None
