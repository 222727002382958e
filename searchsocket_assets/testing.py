"""Test a deployment with a site: index it as Dagster would, away from its state, its stores and what it pays for."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import dagster as dg

from searchsocket.extensions import extensions
from searchsocket.project.project import Project, open_project
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import open_service
from searchsocket_assets.run.tags import BRANCH_TAG, PROJECT_TAG, ROOT_TAG
from searchsocket_assets.site import DagsterSite

# Replaces settings that would reach a provider, a database, a bucket or the project folder.
_ALONE = {
    "SEARCHSOCKET__EMBEDDINGS__PROVIDER": "builtin",
    "SEARCHSOCKET__VECTOR__PROVIDER": "local",
    "SEARCHSOCKET__VECTOR__LOCAL__PATH": "",
    "SEARCHSOCKET__ARTIFACTS__URL": "",
    "SEARCHSOCKET__METRICS__TEXTFILE_DIR": "",
}
# Places of all that a run writes.
_WRITTEN = {
    "SEARCHSOCKET__STATE__DIR": "state",
    "SEARCHSOCKET_CACHE": "cache",
}


@dataclass(frozen=True, slots=True)
class IndexedSite:
    """A site that was indexed for a test."""

    run: dg.ExecuteInProcessResult
    project: Project
    scope: str
    environ: Mapping[str, str]

    def urls(self, query: str, limit: int = 10) -> list[str]:
        """Return the pages that a query finds, best first."""
        service = open_service(self.project, self.environ)
        answer = service.search(SearchQuery(query, limit), self.project.scope_named(self.scope))
        return [result.url for result in answer.results]


def index_site(
    definitions: dg.Definitions,
    site: str = "",
    *,
    folder: Path,
    scope: str = "main",
) -> IndexedSite:
    """Run the job `index_site` of a site in this process, on an empty Dagster instance in memory.

    All that the run writes is in `folder`. The model is the built-in one, so the golden queries of another model may
    find other pages. Nothing is pushed or paid.

    Args:
        definitions: Those of your deployment.
        site: Name of the site, as in the names of its jobs; "" in a deployment with one project.
        folder: An empty folder, such as `tmp_path` of pytest.
        scope: The branch; it need not exist.

    Raises:
        dagster.Failure: The run failed, for example by a golden query.
    """
    named = DagsterSite(name=site)
    job = definitions.resolve_job_def(named.named("index_site"))
    outputs = {f"SEARCHSOCKET__{each.name}__{each.output_dir}": each.name for each in extensions() if each.output_dir}
    places = {**_WRITTEN, **{name.upper(): place for name, place in outputs.items()}}
    written = {name: str(folder / place) for name, place in places.items()}
    with patch.dict(os.environ, {**_ALONE, **written}):
        with dg.DagsterInstance.ephemeral() as instance:
            assert isinstance(job.partitions_def, dg.DynamicPartitionsDefinition)
            assert job.partitions_def.name
            instance.add_dynamic_partitions(job.partitions_def.name, [scope])
            run = job.execute_in_process(instance=instance, partition_key=scope, tags={BRANCH_TAG: scope})
            stored = instance.get_run_by_id(run.run_id)
        assert stored
        root = stored.tags[ROOT_TAG].removeprefix(f"{stored.tags[PROJECT_TAG]}@")
        everything = dict(os.environ)
        return IndexedSite(run, open_project(Path(root), everything), scope, everything)
