"""The asset `static_search`: the export of a scope, written by Dagster after its index."""

import json
from pathlib import Path
from typing import Any

import dagster as dg
from small_site import write_page

from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.tags import BRANCH_TAG
from searchsocket_assets.site import ensure_scope, traits_of_project

KEY = dg.AssetKey("static_search")


def definitions(site: Path, toml: str) -> dg.Definitions:
    (site / "searchsocket.toml").write_text(f'embeddings.provider = "hash"\n{toml}')
    return build_definitions(str(site), traits=traits_of_project({"SEARCHSOCKET_PROJECT": str(site)}))


def run(defs: dg.Definitions, instance: dg.DagsterInstance, scope: str, only: dg.AssetKey | None = None) -> Any:
    ensure_scope(instance, scope)
    return defs.resolve_job_def("index_site").execute_in_process(
        {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        instance=instance,
        partition_key=scope,
        tags={BRANCH_TAG: scope},
        raise_on_error=False,
        asset_selection=[only] if only else None,
    )


def metadata_of(instance: dg.DagsterInstance) -> dict[str, Any]:
    event = instance.get_latest_materialization_event(KEY)
    assert event
    assert event.asset_materialization
    return {name: value.value for name, value in event.asset_materialization.metadata.items()}


def test_it_is_an_asset_only_where_it_is_turned_on(site: Path) -> None:
    specs = {spec.key: spec for spec in definitions(site, "export.static = true\n").resolve_all_asset_specs()}
    assert [dep.asset_key for dep in specs[KEY].deps] == [dg.AssetKey("search_index")]
    assert specs[KEY].partitions_def == specs[dg.AssetKey("search_index")].partitions_def
    assert KEY not in {spec.key for spec in definitions(site, "").resolve_all_asset_specs()}


def test_a_run_exports_the_index_and_keeps_one_release(site: Path, instance: dg.DagsterInstance) -> None:
    defs, folder = definitions(site, "export.static = true\n"), site / "build" / "searchsocket"
    assert run(defs, instance, "main").success
    first = json.loads((folder / "searchsocket.json").read_text())
    files = [path for path in folder.rglob("*") if path.is_file()]
    result = metadata_of(instance)
    assert result["pages"] == result["dagster/row_count"] == 5
    assert result["files"] == result["files_written"] == len(files)
    assert result["bytes"] == sum(path.stat().st_size for path in files)
    assert Path(result["export_folder"]) == folder
    (site / "curation.toml").write_text('[[pin]]\nquery = "berths"\npages = "/about"\n')
    assert run(defs, instance, "main", KEY).success  # the asset alone: rules need no new index
    second = json.loads((folder / "searchsocket.json").read_text())
    assert (second["generation"], second["previous"]) == (first["generation"], first["head"])
    assert (folder / first["head"]).is_file()
    write_page(site, "docs/new", "New", "A new page about fenders.")
    assert run(defs, instance, "main").success
    assert not (folder / first["head"]).exists()
    assert (folder / second["head"]).is_file()


def test_a_broken_rule_is_left_out_of_the_export(site: Path, instance: dg.DagsterInstance) -> None:
    defs = definitions(site, 'export.static = true\nexport.dir = "public/{scope}"\n')
    (site / "curation.toml").write_text("[[pin]]\n")
    assert run(defs, instance, "main").success
    assert (site / "public" / "main" / "searchsocket.json").is_file()
