"""A query of the shell, answered without what only a service needs: equal to what `open_service` would answer."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.project import Project, index_folder
from searchsocket.search.answer import SearchAnswer
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.serving.shell.hashed import HashedOnce
from searchsocket.serving.source_changes import changes_of
from searchsocket.text.synonyms import make_synonyms
from searchsocket.web.urls.absolute import site_path, version_names
from searchsocket.web.urls.site import configured_site


def answers_alone(project: Project) -> bool:
    """Return True if index and model are on this machine, so that no other machine is called and nothing is paid."""
    settings = project.settings
    return settings.vector.provider == "local" and settings.embeddings.provider == "builtin"


def answer_alone(
    project: Project, query: SearchQuery, environ: Mapping[str, str], scope_name: str | None
) -> SearchAnswer:
    """The answer of a project that `answers_alone`; see `SearchEngine.search` for the errors."""
    scope = project.scope(environ, scope_name)
    settings = project.settings
    synonyms = make_synonyms(settings.ranking.synonyms)
    store = HashedOnce(index_folder(settings.vector, project.state_dir), project.id, synonyms, project.state_dir)
    model = BuiltinEmbedder()
    engine = SearchEngine(
        store, QueryVectors(lambda _: model), settings.ranking, lambda: datetime.now(UTC), settings.facets
    )
    site = configured_site(settings, None, scope.name)
    prefix, version = site_path(query.path_prefix, site), version_names(query.version, site)
    return changes_of(project).marked(engine.search(replace(query, path_prefix=prefix, version=version), scope))
