"""Fixtures that every test may use."""

import gc
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import tests.own_cache  # noqa: F401  # whatever is tested
from examples.site_archive import unpack

# The same examples on every run and machine, however slow; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# Files that take minutes of the machine together: `make test-long` runs them, before a release.
LONG = {
    "test_cli_dev.py", "test_dagster_dev.py", "test_dagster_releases.py", "test_generated_clients.py",
    "test_handle_in_kit.py", "test_your_dagster_page.py",
}  # fmt: skip
LONGEST = LONG | {
    "test_damaged_files.py", "test_interruptions.py", "test_buckets.py", "test_crashes.py",
    "test_pinecone_troubles.py", "test_cli_workers.py", "test_pinecone_on_the_wire.py", "test_artifact_faults.py",
    "test_agent_projects.py",
    "test_effects.py", "test_pinecone_site.py", "test_pgvector.py", "test_local_store.py", "test_pinecone_vectors.py",
    "test_milvus_site.py", "test_pinecone_commands.py", "test_permissions.py", "test_crawl_rendering.py",
    "test_readme.py", "test_installed_store.py", "test_quotes.py", "test_real_sites.py",
}  # fmt: skip

GoldenCheck = Callable[[Path, Any], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files; read the diff afterwards")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no worker is left with one at the end."""
    for item in items:
        if item.path.name in LONG:
            item.add_marker("long")
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collection_finish() -> None:
    """Look through thousands of tests and modules for garbage no more: it took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_configure(config: pytest.Config) -> None:
    """Unpack the built documentation site once, before any worker starts.

    A shell starts commands in the background with SIGINT ignored. Dagster gives SIGTERM the handler of SIGINT, so that
    no process started by a test could be stopped.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        unpack()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> GoldenCheck:
    """Compare a value with a golden file: text as it is, anything else as sorted JSON."""

    def check(path: Path, value: Any) -> None:
        text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)
        text = text.rstrip("\n") + "\n"
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden file {path}; write it with --update-golden and read it"
        assert text == path.read_text(encoding="utf-8")

    return check
