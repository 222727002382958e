"""Paths below `tests` that `make test`, `make test-rest` and `make test-long` run."""

import re

# Minutes of the machine together: before a release.
LONG = (
    "assets/test_dagster_dev.py", "assets/test_dagster_releases.py", "assets/test_your_dagster_page.py",
    "cli/test_cli_dev.py", "api/test_generated_clients.py", "kit/test_handle_in_kit.py",
)  # fmt: skip

# Files and folders whose tests start programs, ask servers or browsers, or take seconds: `make test-rest`, in this
# order, since no worker shall be left with a long file at the end.
SLOW = (
    "extensions/milvus", "project/settings/test_effects.py", "faults/test_crashes.py", "faults/test_damaged_files.py",
    "extensions/fleet/test_buckets.py", "cli/test_cli_workers.py", "extensions/crawl/test_crawl_rendering.py",
    "extensions/fleet/test_agent_projects.py", "extensions/pinecone", "extensions/fleet/test_artifact_faults.py",
    "cli/test_cli_process.py", "cli/test_interruptions.py", "extensions/pgvector", "clients", "faults",
    "content/html/test_real_sites.py",
    "test_readme.py", "assets", "extensions/fleet/test_served_elsewhere.py", "extensions/fleet/test_every_endpoint.py",
    "extensions/fleet/test_redirecting_buckets.py", "extensions/fleet/test_two_machines.py",
    "extensions/fleet/test_lease_fuzz.py",
    "agents/test_agent_code_only.py", "agents/test_agent_tokens.py", "agents/test_agent_stdio.py",
    "agents/test_agent_conformance.py", "agents/test_agent_transcripts.py", "agents/test_agent_install.py",
    "relevance", "release", "extensions/test_another_package.py", "extensions/test_without_extensions.py",
    "extensions/documents/test_documents.py", "extensions/code/test_code_find.py",
    "extensions/code/test_code_chunks.py", "extensions/code/test_code_interrupted.py", "extensions/qdrant",
    "stores/test_installed_store.py", "stores/test_local_disks.py",
    "stores/test_records_in_memory.py", "cli/test_cli_unchanged.py", "cli/test_cli_scopes.py", "cli/test_cli_prune.py",
    "cli/test_cli_cache.py", "cli/test_cli_completion.py", "cli/test_cli_diff.py", "extensions/fleet/test_cli_sites.py",
    "extensions/crawl/test_links_open.py", "extensions/crawl/test_results_open.py",
    "api/test_in_front.py", "api/test_server.py", "api/test_page_in_browser.py",
    "extensions/fleet/test_many_projects.py",
    "api/test_openapi_example.py", "api/test_alerts.py", "api/test_every_feature.py",
    "models/embedders/test_calls.py", "models/embedders/test_installed.py", "models/embedders/test_refused_texts.py",
    "pipeline/test_shortcuts.py", "pipeline/test_redaction_limits.py", "pipeline/test_parallel.py",
    "extensions/fleet/test_carried_pages.py",
    "pipeline/test_paid_runs.py", "extensions/fleet/test_dask.py", "bench", "examples", "test_citations.py",
    "test_documented_output.py", "test_serve_only.py",
)  # fmt: skip

# What `make test` runs of them: one case for each program of others.
SMOKE = {
    "a browser": "clients/test_dialog.py::test_from_the_key_to_the_passage",
    "Dagster": "assets/test_graph.py::test_a_run_materializes_every_stage_with_numbers_that_can_be_plotted",
    "a client of agents": "agents/test_agent_stdio.py::test_the_official_client_is_answered_in_both_eras",
    "Milvus Lite": "extensions/milvus/test_milvus_vectors.py::TestMilvusUpkeep",
    "Pinecone": "extensions/pinecone/test_pinecone_vectors.py::TestPineconeUpkeep",
    "Postgres": "extensions/pgvector/test_pgvector.py::test_any_project_has_a_table",
    "Qdrant": "extensions/qdrant/test_qdrant.py::TestQdrantStore::test_hits_come_by_falling_cosine",
    "a bucket": "extensions/fleet/test_redirecting_buckets.py::test_a_client_does_not_follow",
    "the command": "cli/test_cli_process.py::test_serve_answers_until_it_is_told_to_stop",
    "a killed run": "cli/test_interruptions.py::test_a_signal_during_the_switch_and_after_it_ends_in_success",
}


def place_in(names: tuple[str, ...], path: str) -> int | None:
    """Return the index of the name that is the path or a folder around it; None without one."""
    return next((place for place, name in enumerate(names) if path == name or path.startswith(f"{name}/")), None)


def is_smoke(path: str, test: str = "") -> bool:
    """Return True if `make test` runs this test of a slow file; without a test, if it runs any of the file."""
    for smoke in SMOKE.values():
        file, _, named = smoke.partition("::")
        if path == file and (not test or re.match(rf"{named}(\[|::|$)", test)):
            return True
    return False
