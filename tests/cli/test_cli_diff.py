"""`searchsocket diff`, and the recipe that puts it on a git server."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from runner_types import RunCli, RunJson

from tests.sources.git_repository import commit, git

RECIPE = Path(__file__).parents[2] / "examples/docs-site/src/content/recipes/pull-request-comment.md"


def test_both_sides_of_a_diff_are_named_or_refused(indexed: Path, run: RunCli, run_json: RunJson) -> None:
    same = run_json("diff", "live", "main", project=indexed)
    assert (same["pages"]["unchanged"], same["pages"]["changed"]) == (5, [])
    name = same["after"]["name"]
    assert f"main@{name} against main@{name}" in run("diff", f"main@{name}", name, project=indexed).stdout
    for arguments, status, code in (
        ((), 3, "GENERATION_NOT_KEPT"),
        (("live", "candidate"), 3, "GENERATION_NOT_KEPT"),
        (("main", "nowhere"), 3, "SCOPE_NOT_INDEXED"),
        (("main", "main@20200101T000000Z-abcdef"), 3, "GENERATION_NOT_KEPT"),
    ):
        result = run("diff", *arguments, project=indexed)
        assert (result.exit_code, f"error [{code}]" in result.stderr) == (status, True), (arguments, result.stderr)


@pytest.mark.long
@pytest.mark.dagster
def test_the_recipe_comments_on_what_is_pushed_to_a_git_server(tmp_path: Path) -> None:
    """Its script is the hook of a real bare repository, and its settings are the project's."""
    server, project, clone = tmp_path / "docs.git", tmp_path / "srv", tmp_path / "clone"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(server))
    text = RECIPE.read_text(encoding="utf-8")
    blocks = dict(re.findall(r"```(bash|toml)\n(.*?)```", text, re.DOTALL))
    project.mkdir()
    (project / "searchsocket.toml").write_text(blocks["toml"].replace("/srv/docs.git", str(server)))
    hook = server / "hooks" / "post-receive"
    hook.write_text(blocks["bash"].replace("/srv/docs", str(project)))
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)

    git(tmp_path, "init", "-q", "-b", "main", str(clone))
    git(clone, "remote", "add", "origin", str(server))
    lamp = "# Lamp\n\nThe green lamp burns all night, so that boats find the pier.\n"
    commit(clone, {"docs/lamp.md": lamp, "docs/home.md": "# Home\n\nRead of [the lamp](/lamp).\n"})
    push(clone, "main")
    git(clone, "checkout", "-q", "-b", "feature/move")
    git(clone, "mv", "docs/lamp.md", "docs/lantern.md")
    commit(clone, {"docs/rope.md": "# Rope\n\nA bowline holds.\n"})
    push(clone, "feature/move")
    comment = (project / "comments" / "feature-move.md").read_text()
    assert comment.startswith("<!-- searchsocket diff -->\n### Search index\n")
    assert re.search(r"^\| pages \| 1 \| 0 \| 0 \| 1 \|$", comment, re.MULTILINE)
    assert re.search(r"^/\S*lamp /\S*lantern 301$", comment, re.MULTILINE)
    assert not (project / "comments" / "main.md").exists()


def push(clone: Path, branch: str) -> None:
    """The hook finds the command of this environment, and no other."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    result = subprocess.run(
        ["git", "-C", str(clone), "push", "-q", "origin", branch],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "error" not in result.stderr
