"""The helper with which people test their own deployment."""

import os
from pathlib import Path

import dagster as dg
import pytest
from small_site import write_site

from searchsocket_assets import site_definitions
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.testing import index_site

SETTINGS = """
[project]
id = "docs"
[embeddings]
provider = "openai"
[vector]
provider = "milvus"
[artifacts]
url = "s3://bucket/docs"
[llms]
enable = true
[export]
static = true
[metrics]
textfile_dir = "/nonexistent"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_site(tmp_path / "site")
    (root / "searchsocket.toml").write_text(SETTINGS)
    return root


def files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


def test_a_site_of_a_deployment_is_indexed_and_searched_and_left_alone(root: Path, tmp_path: Path) -> None:
    """Neither its provider, its database, its bucket nor its folder is touched."""
    before, environ = files(root), dict(os.environ)
    definitions = dg.Definitions.merge(site_definitions(root, "docs"), dg.Definitions())
    result = index_site(definitions, "docs", folder=tmp_path / "test")
    assert result.run.success
    assert result.urls("mooring rope")[0] == "/docs/ropes"
    assert result.run.asset_materializations_for_node("docs__search_index")
    assert (files(root), dict(os.environ)) == (before, environ)
    assert (tmp_path / "test" / "llms" / "llms.txt").exists()


def test_a_deployment_with_one_project_needs_no_name(root: Path, tmp_path: Path) -> None:
    result = index_site(build_definitions(str(root)), folder=tmp_path / "test", scope="preview")
    assert result.urls("tide table")[0] == "/docs/tides"


def test_a_site_that_the_golden_queries_refuse_fails_the_test(root: Path, tmp_path: Path) -> None:
    (root / "golden-queries.toml").write_text('[[query]]\nquery = "mooring rope"\nexpect = "/nowhere"\n')
    with (root / "searchsocket.toml").open("a") as file:
        file.write("[golden]\nmin_recall = 1.0\n")
    with pytest.raises(dg.Failure, match="golden"):
        index_site(site_definitions(root, "docs"), "docs", folder=tmp_path / "test")
