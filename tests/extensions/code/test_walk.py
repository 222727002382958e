"""Source files: as git lists them, without those that are never read."""

import os
import subprocess
from pathlib import Path

import pytest

from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.code.parsing.selection import glob_filter
from searchsocket.extensions.code.sources.files import CommitSource, WorkingTreeSource
from tests.extensions.code.trees import EVERYTHING, MAX_BYTES, grow, names, working_tree
from tests.sources.git_repository import commit, git

TREE = {
    ".gitignore": "*.log.py\n/generated/\nlogs\n!keep.log.py\n# a comment\n",
    "a.py": "1",
    "x.log.py": "1",
    "keep.log.py": "1",
    "generated/b.py": "1",
    "src/.gitignore": "!x.log.py\nlocal.*\n",
    "src/x.log.py": "1",
    "src/local.py": "1",
    "src/generated/b.py": "1",
    "src/logs/c.py": "1",
    "src/deep/er/.gitignore": "/d.py\n",
    "src/deep/er/d.py": "1",
    "src/deep/er/e.py": "1",
    "notes.bin": b"\0",
    "grüße.py": "1",
}
LISTED = ["a.py", "grüße.py", "keep.log.py", "src/deep/er/e.py", "src/generated/b.py", "src/x.log.py"]


def of_git(root: Path) -> list[str]:
    """Return the Python files that git lists."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True).stdout.split(b"\0")
    return sorted(name for name in map(os.fsdecode, listed) if name.endswith(".py"))


def test_nested_ignore_files_say_what_git_reads_in_them(tmp_path: Path) -> None:
    grow(tmp_path, TREE)
    git(tmp_path, "init", "-q")
    assert sorted(names(working_tree(tmp_path))) == LISTED == of_git(tmp_path)


def test_a_commit_gives_what_its_working_tree_gives(tmp_path: Path) -> None:
    """Without a checkout, and whatever the working tree contains now."""
    git(tmp_path, "init", "-q")
    revision = commit(tmp_path, {name: str(text) for name, text in TREE.items() if name != "notes.bin"})
    git(tmp_path, "rm", "-q", "src/.gitignore")
    source = CommitSource(tmp_path, revision, EVERYTHING, max_file_bytes=MAX_BYTES)
    assert sorted(names(source)) == LISTED
    assert source.read(next(iter(source.pages()))) == b"1"
    source.close()


def test_a_folder_of_a_repository_is_a_project_under_the_ignore_files_above_it(tmp_path: Path) -> None:
    grow(tmp_path, {".gitignore": "skip.py\n", "apps/one/skip.py": "1", "apps/one/take.py": "1", "two.py": "1"})
    git(tmp_path, "init", "-q")
    assert names(working_tree(tmp_path / "apps" / "one")) == ["take.py"]
    commit(tmp_path, {})
    source = CommitSource(tmp_path / "apps" / "one", "HEAD", EVERYTHING, max_file_bytes=MAX_BYTES)
    assert names(source) == ["take.py"]


def test_our_own_ignore_file_goes_before_that_of_git(tmp_path: Path) -> None:
    grow(tmp_path, {".gitignore": "a.py", ".searchsocketignore": "!a.py\nb.py", "a.py": "1", "b.py": "1", "c.py": "1"})
    assert names(working_tree(tmp_path)) == ["a.py", "c.py"]


def test_nothing_brings_back_what_is_never_read(tmp_path: Path) -> None:
    grow(tmp_path, {".searchsocketignore": "!*", "node_modules/a.js": "1", ".env.py": "1", "b.js": "1"})
    assert names(working_tree(tmp_path)) == ["b.js"]


@pytest.mark.parametrize("name", [".gitignore", ".searchsocketignore"])
@pytest.mark.parametrize("folder", ["", "src/"])
def test_a_folder_with_the_name_of_an_ignore_file_is_an_error(tmp_path: Path, folder: str, name: str) -> None:
    """Nothing is left out by it, so what its owner wants to keep out would get in."""
    grow(tmp_path, {"src/app/a.py": "1", f"{folder}{name}/b.py": "1"})
    for root in (tmp_path, tmp_path / "src"):
        git(tmp_path, "init", "-q")
        if (folder and root == tmp_path) or not folder:
            with pytest.raises(SourceUnavailable, match="is a folder, not an ignore file"):
                names(working_tree(root))


def test_a_hard_link_that_leads_out_is_left_out(tmp_path: Path) -> None:
    """Like a symbolic link. One whose other name lies in the tree is read: package managers make such links."""
    root = grow(tmp_path / "project", {"src/own.py": "1", "src/packed.py": "1", "src/plain.py": "1"})
    grow(tmp_path / "elsewhere", {"secret.py": "PASSWORD = 1"})
    (root / "node_modules" / "lib").mkdir(parents=True)
    os.link(tmp_path / "elsewhere" / "secret.py", root / "src" / "secret.py")
    os.link(root / "src" / "own.py", root / "src" / "again.py")
    os.link(root / "src" / "packed.py", root / "node_modules" / "lib" / "packed.py")
    source = working_tree(root)
    assert sorted(names(source)) == ["src/again.py", "src/own.py", "src/packed.py", "src/plain.py"]
    assert source.report.skipped == {
        "node_modules/": "dependencies",
        "src/secret.py": "a hard link that points out of the project",
    }


def test_an_ignore_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    """Files that it excludes must not be indexed."""
    grow(tmp_path, {"src/secret.py": "1"})
    os.mkfifo(tmp_path / "src" / ".gitignore")
    with pytest.raises(SourceUnavailable, match=r"src/\.gitignore"):
        names(working_tree(tmp_path))


def test_links_are_not_followed_and_other_repositories_not_entered(tmp_path: Path) -> None:
    outside = grow(tmp_path / "outside", {"a.py": "1"})
    root = grow(tmp_path / "project", {"b.py": "1", "lib/.git": "gitdir: x", "lib/c.py": "1"})
    (root / "link.py").symlink_to(outside / "a.py")
    (root / "folder.py").symlink_to(outside)
    source = working_tree(root)
    assert names(source) == ["b.py"]
    assert source.report.skipped == {"link.py": "a link", "folder.py": "a link", "lib/": "another repository"}


def test_a_file_above_the_limit_is_named(tmp_path: Path) -> None:
    source = working_tree(grow(tmp_path, {"a.py": "1", "b.py": "12345"}), max_file_bytes=4)
    assert names(source) == ["a.py"]
    assert source.report.skipped == {"b.py": "larger than code.max_file_bytes (4)"}


def test_globs_of_the_settings_choose(tmp_path: Path) -> None:
    grow(tmp_path, {"src/a.ts": "1", "src/a.test.ts": "1", "docs/b.md": "1", "lib/c.ts": "1"})
    source = WorkingTreeSource(tmp_path, glob_filter(("src/**", "docs/"), ("*.test.ts",)), max_file_bytes=MAX_BYTES)
    assert names(source) == ["docs/b.md", "src/a.ts"]
