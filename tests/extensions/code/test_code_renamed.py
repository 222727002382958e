"""A project with another id than its index says which id to set, without the suffix of source code."""

import os
from pathlib import Path

import pytest

from searchsocket.errors import ProjectMismatch
from searchsocket.extensions.code.serving.upkeep import open_upkeep
from searchsocket.project.project import open_project
from tests.extensions.code.code_project import CodeProject


def test_the_fix_for_a_renamed_project_works(tmp_path: Path) -> None:
    code = CodeProject(tmp_path / "site")
    open_upkeep(code.project, os.environ).sync("main", "run")
    root = code.root.rename(tmp_path / "renamed")
    config = root / "searchsocket.toml"
    own = config.read_text() if config.exists() else ""
    config.write_text(f'project.id = "other"\n{own}')
    with pytest.raises(ProjectMismatch) as raised:
        open_upkeep(open_project(root, os.environ), os.environ).sync("main", "again")
    line = raised.value.fix.removeprefix("set `").removesuffix("`")
    config.write_text(f"{line}\n{own}")
    synced = open_upkeep(open_project(root, os.environ), os.environ).sync("main", "again")
    assert synced.embedded == 1  # the settings, which are a source file too
