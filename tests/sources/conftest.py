"""Fixtures of sources."""

from pathlib import Path

import pytest
from git_repository import git


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder
