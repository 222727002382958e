"""Ignore rules decide as git does: generated ignore files and trees, with git as the oracle."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchsocket.errors import ConfigError, SourceUnavailable
from searchsocket.extensions.code.parsing.selection import glob_filter
from searchsocket.extensions.code.sources.files import CommitSource, WorkingTreeSource
from searchsocket.text.globs import MAX_LINE_BYTES, MAX_WILDCARDS, Patterns
from tests.extensions.code.trees import EVERYTHING, MAX_BYTES, grow, names, working_tree
from tests.sources.git_repository import commit, git

# Parts of patterns: each has its own meaning, or none, beside another one.
ATOMS = (
    "a", "b", "ab", "A", "ü", "*", "**", "***", "/", "/", "**/", "/**", "/**/", "*/", "?", ".py", "-", "!", "#", " ",
    "]", "[ab]", "[!a]", "[^b]", "[a-c]", "[c-a]", "[]a]", "[!]-]", "[--a]", "[a-]", "[ü]", "[A-Z]", "[/]", "[[a]",
    "[[:a]", "[a", "[[:alpha:]]", "[[:upper:]-]", "[[:punct:]]", "[[:none:]]", "[[:]", "[[::]]", "[:a]", "[\\]]",
    "[a\\-c]", "[a-\\c]", "\\", "\\*", "\\a", "\\ ", "\\[", "\\/", "\t", "\r",
)  # fmt: skip
PARTS = ("a", "b", "ab", "aa", "aab", "abab", "A", "aB", "c", "ü", " a", "a ", "*", "!", "#", "[", "]", "-", "\\", "a*")
PATTERNS = st.builds(
    "".join,
    st.tuples(st.sampled_from(["", "", "/", "!"]), *[st.sampled_from(("", *ATOMS))] * 5, st.sampled_from(["", "/"])),
)
LINES = st.lists(PATTERNS, min_size=1, max_size=5).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join([*lines, ""]))
)
PATHS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("/".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q")
    return root


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    """The paths that git ignores; none of them needs to exist."""
    command = ["git", "-C", str(root), "check-ignore", "-z", "--stdin", "--no-index"]
    listed = "\0".join([*(f"./{path}" for path in paths), ""])
    result = subprocess.run(command, input=listed.encode(), capture_output=True, check=False)
    assert result.returncode in (0, 1), result.stderr
    return {path.removeprefix("./") for path in result.stdout.decode().split("\0") if path}


def ignored_by_us(patterns: Patterns, path: str) -> bool:
    data = path.encode()
    folders = [data[: at + 1] for at, byte in enumerate(data) if byte == ord("/")]
    return any(map(patterns.verdict, (*folders, data)))


@pytest.mark.parametrize("ignores_case", [False, True])
@settings(max_examples=60)
@given(data=st.data())
def test_patterns_match_what_git_matches(repository: Path, data: st.DataObject, ignores_case: bool) -> None:
    """Also malformed ones, those that git's documentation does not mention, and names with odd characters."""
    text, paths = data.draw(LINES), sorted(data.draw(st.sets(PATHS, min_size=20, max_size=40)))
    git(repository, "config", "core.ignoreCase", str(ignores_case).lower())
    (repository / ".git" / "info" / "exclude").write_bytes(text.encode())
    patterns = Patterns(text.encode(), ignores_case=ignores_case)
    paths_to_match = [*paths, *(f"{path}/z" for path in paths)]
    assert {path for path in paths_to_match if ignored_by_us(patterns, path)} == ignored_by_git(
        repository, paths_to_match
    )


# Lines that whitelists and private folders are written with, and some of no kind.
USUAL = (
    "*", "!*/", "!*.py", "/*", "**", "!**/", "*/", "!a/", "!/a", "a", "a/", "/a", "!a", "b/", "a/**", "!a/b.py", "a/*",
    "!a/b/", "!a/b/**", "**/b", "**/b/**", "!**/ab.py", "*.py", "!/a/**/", "!/a/**/*.py", "ab.py", "[a]*", "a?", "#a",
    "", "a/**/b", "/**", "**/*", "!a.py", "b.py ", "\\a.py", "!/b/*.py", "a*/", "a**/b",
)  # fmt: skip
FILES = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=3).map(lambda parts: "/".join(parts) + ".py")
IGNORE_FILE = st.lists(st.sampled_from(USUAL), min_size=1, max_size=5).map("\n".join)
IGNORE_FILES = st.dictionaries(st.sampled_from(["", "", "a/", "a/b/", "b/"]), IGNORE_FILE, max_size=3)


def listed_by_git(root: Path) -> list[str]:
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True).stdout.split(b"\0")
    return sorted(name for name in map(os.fsdecode, listed) if name.endswith(".py"))


@settings(max_examples=40)
@given(
    paths=st.sets(FILES, min_size=2, max_size=8),
    ignore_files=IGNORE_FILES,
    exclude=st.just("") | IGNORE_FILE,
    own=st.just("") | IGNORE_FILE,
    data=st.data(),
)
def test_the_source_has_the_files_that_git_lists(
    tmp_path_factory: pytest.TempPathFactory,
    paths: set[str],
    ignore_files: dict[str, str],
    exclude: str,
    own: str,
    data: st.DataObject,
) -> None:
    """Nested ignore files, `info/exclude`, `core.excludesFile`, and files that git tracks although they are ignored."""
    root = tmp_path_factory.mktemp("tree")
    grow(root, {**dict.fromkeys(paths, "1"), **{f"{at}.gitignore": text for at, text in ignore_files.items()}})
    git(root, "init", "-q")
    (root / ".git" / "info" / "exclude").write_text(exclude)
    (root / ".git" / "patterns").write_text(own)
    git(root, "config", "core.excludesFile", ".git/patterns")
    git(root, "add", "-f", "--", *sorted(data.draw(st.sets(st.sampled_from(sorted(paths)), max_size=3))))
    source = working_tree(root)
    assert sorted(names(source)) == listed_by_git(root)
    assert not source.report.warnings


@pytest.mark.parametrize(
    "pattern", ["a*" * 2_000 + "b", "**/a*/" * 900 + "b", "*a" * 100, "[!b]*" * 400 + "b", "?*" * 900]
)
def test_no_pattern_takes_more_than_linear_time(pattern: str) -> None:
    """A pattern of a stranger's repository, on the longest name that a disk has; tried in every way, it never ends."""
    path = "/".join(["a" * 250] * 16).encode()
    assert not Patterns(f"/{pattern}c\n{pattern}c".encode()).verdict(path)


def test_an_ignore_file_that_costs_too_much_is_an_error_with_its_name(tmp_path: Path) -> None:
    grow(tmp_path, {"src/a.py": "1", "src/.gitignore": f"a\n{'b' * (MAX_LINE_BYTES + 1)}"})
    with pytest.raises(SourceUnavailable, match=r"'src/\.gitignore'.*line 2 has more than 10,000 bytes"):
        names(working_tree(tmp_path))
    (tmp_path / "src" / ".gitignore").write_text("\n".join(f"a*{n}" for n in range(MAX_WILDCARDS + 1)))
    with pytest.raises(SourceUnavailable, match="more than 5,000 patterns with wildcards"):
        names(working_tree(tmp_path))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a user, with the configuration of git."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path / "home"


def repository_with(root: Path, *names: str) -> Path:
    grow(root, dict.fromkeys(names, "1"))
    git(root, "init", "-q")
    return root


def test_the_exclude_file_of_the_user_counts(home: Path, tmp_path: Path) -> None:
    root = repository_with(tmp_path / "project", "a.py", "b.py", "c.py")
    grow(home, {".config/git/ignore": "a.py\n", ".other": "b.py\n", ".gitconfig": ""})
    assert names(working_tree(root)) == ["b.py", "c.py"] == listed_by_git(root)
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/.other\n")
    assert names(working_tree(root)) == ["a.py", "c.py"] == listed_by_git(root)


def test_exclude_files_are_weaker_than_ignore_files_and_that_of_the_repository_comes_first(
    home: Path, tmp_path: Path
) -> None:
    root = repository_with(tmp_path / "project", "a.py", "b.py", "c.py")
    grow(home, {".config/git/ignore": "*.py\n"})
    grow(root, {".git/info/exclude": "!b.py\n!c.py", ".gitignore": "c.py"})
    assert names(working_tree(root)) == ["b.py"] == listed_by_git(root)


def test_a_linked_working_tree_has_the_exclude_file_of_its_repository_and_its_own_index(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    commit(root, {"a.py": "1"})
    git(root, "worktree", "add", "-q", str(tmp_path / "linked"))
    linked = grow(tmp_path / "linked", {"b.py": "1", "c.py": "1"})
    (root / ".git" / "info" / "exclude").write_text("*.py\n")
    git(linked, "add", "-f", "b.py")
    assert names(working_tree(linked)) == ["a.py", "b.py"] == listed_by_git(linked)


def test_a_folder_of_a_repository_has_the_tracked_files_of_the_whole(tmp_path: Path) -> None:
    root = repository_with(tmp_path, "app/gen/a.py", "app/gen/b.py", "app/c.py", "gen/d.py")
    (root / ".gitignore").write_text("gen/\n")
    git(root, "add", "-f", "app/gen/a.py", "gen/d.py")
    assert names(working_tree(root / "app")) == ["c.py", "gen/a.py"]


def test_our_own_ignore_file_also_leaves_out_tracked_files(tmp_path: Path) -> None:
    """The file is there for what git tracks: the rest is in `.gitignore` already."""
    root = repository_with(tmp_path, "a.py", "b.py", "gen/c.py", "gen/d.py")
    grow(root, {".gitignore": "gen/\n", ".searchsocketignore": "a.py\nd.py\n"})
    git(root, "add", "-f", ".")
    source = working_tree(root)
    assert names(source) == ["b.py", "gen/c.py"]
    assert source.report.skipped == dict.fromkeys(["a.py", "gen/d.py"], "excluded by .searchsocketignore")


def test_without_git_the_ignore_files_alone_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository_with(tmp_path, "a.py", "b.py", "c.py")
    grow(root, {".gitignore": "a.py\nc.py\n", ".git/info/exclude": "b.py"})
    git(root, "add", "-f", "c.py")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    source = working_tree(root)
    assert names(source) == ["b.py"]
    assert source.report.warnings == [
        "only the ignore files of the project decide what is left out: git is not installed"
    ]


def test_a_broken_repository_is_a_warning(tmp_path: Path) -> None:
    root = grow(tmp_path, {"a.py": "1", "b.py": "1", ".gitignore": "b.py", ".git/HEAD": "nonsense"})
    source = working_tree(root)
    assert names(source) == ["a.py"]
    assert [warning.partition(":")[0] for warning in source.report.warnings] == [
        "only the ignore files of the project decide what is left out"
    ]


def test_a_configuration_may_name_any_file_but_only_as_patterns(tmp_path: Path) -> None:
    """The configuration may be a stranger's: no pipe blocks, no program starts, and no text of the file is shown."""
    root = repository_with(tmp_path / "project", "a.py", "b.py")
    os.mkfifo(tmp_path / "pipe")
    git(root, "config", "core.excludesFile", "../pipe")
    git(root, "config", "core.fsmonitor", f"touch {tmp_path}/started")
    git(root, "config", "core.hooksPath", str(tmp_path))
    assert names(working_tree(root)) == ["a.py", "b.py"]
    (tmp_path / "large").write_text("password\n" * 200_000)
    git(root, "config", "core.excludesFile", "../large")
    with pytest.raises(SourceUnavailable, match=r"exclude file .*larger than 1,000,000 bytes") as error:
        names(working_tree(root))
    assert "password" not in str(error.value)
    assert not (tmp_path / "started").exists()


def test_a_linked_ignore_file_is_not_read(tmp_path: Path) -> None:
    """As in git; our own file must not lose its effect, so a link there is an error."""
    root = repository_with(tmp_path, "a.py", "rules")
    (root / "rules").write_text("a.py")
    (root / ".gitignore").symlink_to("rules")
    source = working_tree(root)
    assert names(source) == ["a.py"] == listed_by_git(root)
    assert source.report.warnings == [".gitignore is a link, which git does not read, so it leaves nothing out"]
    (root / ".searchsocketignore").symlink_to("rules")
    with pytest.raises(SourceUnavailable, match=r"\.searchsocketignore is a link; replace it by a file"):
        names(working_tree(root))


def test_a_commit_has_all_its_files_less_those_of_our_own_ignore_file(tmp_path: Path) -> None:
    """All of them are tracked, so git ignores none."""
    root = repository_with(tmp_path, "a.py", "b.py", "gen/c.py")
    grow(root, {".gitignore": "*.py\ngen/\n", ".searchsocketignore": "b.py\n"})
    git(root, "add", "-f", ".")
    source = CommitSource(root, commit(root, {}), EVERYTHING, max_file_bytes=MAX_BYTES)
    assert names(source) == ["a.py", "gen/c.py"]
    source.close()


@settings(max_examples=40)
@given(
    globs=st.lists(st.sampled_from(USUAL).filter(lambda glob: glob not in ("", "#a")), min_size=1, max_size=4),
    path=FILES,
)
def test_globs_of_the_settings_exclude_what_git_would_ignore(repository: Path, globs: list[str], path: str) -> None:
    git(repository, "config", "core.ignoreCase", "false")
    (repository / ".git" / "info" / "exclude").write_text("\n".join(globs))
    excludes = glob_filter((), globs).excludes
    above = [path[: at + 1] for at, letter in enumerate(path) if letter == "/"]
    assert any(map(excludes, [*above, path])) == (path in ignored_by_git(repository, [path]))


@pytest.mark.parametrize(
    ("include", "selected"),
    [
        (["src/**"], ["src/a.py", "src/gen/b.py"]),
        (["./src/**"], ["src/a.py", "src/gen/b.py"]),
        (["./src/"], ["src/a.py", "src/gen/b.py"]),
        (["./*.py"], ["c.py"]),
        (["."], ["c.py", "src/a.py", "src/gen/b.py"]),
        (["src"], ["src/a.py", "src/gen/b.py"]),
        (["src/**", "!src/gen/**"], ["src/a.py"]),
        (["*.py", "!src/gen/"], ["c.py", "src/a.py"]),
        (["/src/*/"], ["src/gen/b.py"]),
    ],
)
def test_the_last_glob_that_fits_a_file_or_its_folder_includes_it(include: list[str], selected: list[str]) -> None:
    paths = ["c.py", "src/a.py", "src/gen/b.py"]
    assert [path for path in paths if glob_filter(include, ()).includes(path)] == selected


@pytest.mark.parametrize("glob", ["../src/**", "src/../lib", "", " ", "# src", "a\nb"])
def test_a_glob_that_cannot_match_is_refused_with_words(glob: str) -> None:
    with pytest.raises(ConfigError, match=r"code\.include: .*it is a list of globs such as"):
        glob_filter([glob], ())


def test_an_include_that_matches_nothing_is_named(tmp_path: Path) -> None:
    root = grow(tmp_path, {"src/a.py": "1", "b.py": "1"})
    source = WorkingTreeSource(root, glob_filter(("src/**", "lib/**", "!b.py"), ()), max_file_bytes=MAX_BYTES)
    assert names(source) == ["src/a.py"]
    assert source.report.warnings == ["code.include: no source file matches 'lib/**'"]
    assert source.report.skipped == {"b.py": "not in code.include"}
