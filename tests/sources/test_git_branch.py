"""Content files straight from a branch or commit of a real repository."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from contract.source import FolderPlace, Place, SourceContract
from git_repository import commit, git

from searchsocket.errors import InvalidScope, SourceUnavailable
from searchsocket.project.scopes import sanitise_scope
from searchsocket.project.settings.model import Settings
from searchsocket.sources import make_source
from searchsocket.sources.base import Source
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.sources.git_objects import Repository
from searchsocket.web.routes.table import route_table

GLOBS = ["docs/**/*.md", "src/routes/**/+page.md"]


def listed(source: Source) -> dict[str, str]:
    return {page.url: page.locator for page in source.pages()}


@dataclass
class GitPlace(FolderPlace):
    suffix: str = ".md"

    def source(self) -> Source:
        commit(self.folder.parent, {})
        return GitBranchSource(
            self.folder.parent, "main", ["docs/**/*.md"], exclude=["/drafts/**"], max_page_bytes=self.max_page_bytes
        )


class TestGitBranch(SourceContract):
    @pytest.fixture
    def place(self, repo: Path) -> GitPlace:
        return GitPlace(repo / "docs")

    def test_a_page_that_is_gone_says_so(self, place: Place) -> None:
        """A commit does not change: what was listed can be read, though the branch has moved on."""
        place.put("/a", "one")
        source = place.source()
        [page] = source.pages()
        place.remove("/a")
        assert [*place.source().pages()] == []
        assert source.read(page) == b"one"


def test_a_branch_is_read_without_touching_the_working_tree(repo: Path) -> None:
    """Another branch is checked out, with uncommitted work: neither is seen, neither is changed."""
    commit(repo, {"docs/a.md": "from main"})
    git(repo, "switch", "-q", "-c", "feature/x")
    commit(repo, {"docs/a.md": "from feature", "docs/b.md": "new"})
    git(repo, "switch", "-q", "main")
    (repo / "docs/a.md").write_text("uncommitted")
    before = (git(repo, "status", "--porcelain"), git(repo, "rev-parse", "HEAD"))
    source = GitBranchSource(repo, "feature/x", GLOBS)
    pages = {page.url: source.read(page) for page in source.pages()}
    assert pages == {"/a": b"from feature", "/b": b"new"}
    assert (git(repo, "status", "--porcelain"), git(repo, "rev-parse", "HEAD")) == before
    assert (repo / "docs/a.md").read_text() == "uncommitted"


def test_branches_tags_commits_and_scopes_name_a_commit(repo: Path) -> None:
    """A scope name is a branch name made safe; the branch behind it is found again."""
    first = commit(repo, {"docs/a.md": "1"})
    git(repo, "tag", "v1")
    second = commit(repo, {"docs/a.md": "2"})
    git(repo, "branch", "feature/Größe")
    names = {"v1": first, first: first, first[:10]: first, "main": second, "feature/Größe": second, "HEAD": second}
    names[sanitise_scope("feature/Größe")] = second
    assert {name: Repository(repo).resolve(name) for name in names} == names


def test_a_clone_of_a_ci_job_has_only_remote_branches(repo: Path, tmp_path: Path) -> None:
    """Shallow, on no branch: `origin`'s branch of that name is meant."""
    commit(repo, {"docs/a.md": "old"})
    head = commit(repo, {"docs/a.md": "new"})
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", "clone")
    clone = tmp_path / "clone"
    git(clone, "checkout", "-q", "--detach")
    git(clone, "branch", "-q", "-D", "main")
    source = GitBranchSource(clone, "main", GLOBS)
    assert source.commit() == head
    assert listed(source) == {"/a": "docs/a.md"}


def test_a_bare_repository_and_a_project_in_a_folder(repo: Path, tmp_path: Path) -> None:
    """Paths are relative to the project, wherever it lies in its repository."""
    commit(repo, {"apps/site/docs/a.md": "a", "apps/site-old/docs/c.md": "c", "docs/b.md": "b"})
    assert listed(GitBranchSource(repo / "apps/site", "main", GLOBS)) == {"/a": "docs/a.md"}
    assert listed(GitBranchSource(repo, "main", GLOBS, base_dir="./apps/site/")) == {"/a": "docs/a.md"}
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    assert listed(GitBranchSource(tmp_path / "bare.git", "main", GLOBS)) == {"/b": "docs/b.md"}


def test_routes_come_from_the_same_commit(repo: Path) -> None:
    """A route that only the branch has is mapped; one that only the working tree has is not."""
    commit(repo, {"src/routes/(docs)/guide/+page.md": "g", "src/routes/[...r]/+page.svelte": "", "static/x.html": ""})
    (repo / "src/routes/later").mkdir()
    (repo / "src/routes/later/+page.svelte").touch()
    source = GitBranchSource(repo, "main", GLOBS)
    assert listed(source) == {"/guide": "src/routes/(docs)/guide/+page.md"}
    commit(repo, {})  # the branch moves on meanwhile
    table = route_table(source.route_files(), source.kit())
    assert table.resolve("/guide").route_file == "src/routes/(docs)/guide/+page.md"
    assert table.resolve("/later").route_id == "/[...r]"
    assert table.resolve("/x").resolution == "none"


def test_the_configuration_comes_from_the_same_commit(repo: Path) -> None:
    """The branch may be of another version of SvelteKit than the working tree, with its files elsewhere."""
    config = "export default { plugins: [sveltekit({ files: { src: 'app', assets: 'copied' } })] }"
    package = '{"devDependencies": {"@sveltejs/kit": "^3.2.0"}}'
    files = {"app/routes/[a-b]/+page.svelte": "", "app/routes/c/+page.md": "c", "copied/x.html": ""}
    commit(repo, {**files, "package.json": package, "vite.config.js": config})
    (repo / "package.json").unlink()
    (repo / "vite.config.js").write_text("export default {}")
    source = GitBranchSource(repo, "main", ["app/**/+page.md"])
    assert listed(source) == {"/c": "app/routes/c/+page.md"}
    assert (source.kit().version, source.kit().routes_dir) == (3, "app/routes")
    table = route_table(source.route_files(), source.kit())
    assert table.resolve("/d").route_file == "app/routes/[a-b]/+page.svelte"
    assert table.resolve("/x").resolution == "none"
    source = GitBranchSource(repo, "main", ["app/**/+page.md"], routes_dir="./app/routes/c/", static_dir="other")
    assert listed(source) == {"/": "app/routes/c/+page.md"}


def test_files_that_are_no_text_of_the_repository_are_skipped(repo: Path, tmp_path: Path) -> None:
    """Links, submodules and LFS pointers: each named with its reason."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    commit(other, {"docs/s.md": "sub"})
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "docs/sub")
    (repo / "docs/link.md").symlink_to("/etc/passwd")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12345\n"
    commit(repo, {"docs/a.md": "a", "docs/big.md": pointer, "docs/b.txt": "no"})
    source = GitBranchSource(repo, "main", GLOBS)
    assert listed(source) == {"/a": "docs/a.md"}
    reasons = {name: reason.split(";")[0] for name, reason in source.report.skipped.items()}
    assert reasons == {"docs/big.md": "a Git LFS pointer", "docs/link.md": "a link", "docs/sub": "a submodule"}
    assert source.report.complete


def test_names_in_any_script_and_of_any_bytes(repo: Path) -> None:
    """git quotes such names unless asked not to; some are no UTF-8 at all."""
    commit(repo, {'docs/日本 "x"\n.md': "j", "docs/:(top)y.md": "m"})
    with open(os.path.join(os.fsencode(repo), b"docs/caf\xe9.md"), "wb") as file:
        file.write(b"f")
    commit(repo, {})
    source = GitBranchSource(repo, "main", GLOBS)
    assert sorted(listed(source)) == ["/:(top)y", "/caf%E9", "/日本%20%22x%22%0A"]
    assert all(page.locator.encode() for page in source.pages())


@pytest.mark.parametrize(
    "name",
    ["--upload-pack=x", "-h", "", "a..b", "main^", "main~1", "HEAD:docs", "@{-1}", "a b", "a\nb", "a\x00b", "*",
     "../main", "/main", "main/", "x" * 1000, "a//b", "refs/heads/.x", "x.lock", "[a]", "a\\b", "\udce9"],
)  # fmt: skip
def test_hostile_names_are_refused(repo: Path, name: str) -> None:
    """A branch name comes from a webhook or a stranger's pull request."""
    commit(repo, {"docs/a.md": "a"})
    with pytest.raises(InvalidScope):
        next(GitBranchSource(repo, name, GLOBS).pages())


def test_a_missing_branch_is_an_error(repo: Path, tmp_path: Path) -> None:
    """And no empty site (original failure 4)."""
    commit(repo, {"docs/a.md": "a"})
    with pytest.raises(SourceUnavailable, match="no branch, tag or commit 'gone'"):
        next(GitBranchSource(repo, "gone", GLOBS).pages())
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(SourceUnavailable, match="git"):
            next(GitBranchSource(folder, "main", GLOBS).pages())
    with pytest.raises(SourceUnavailable, match="out of the project"):
        GitBranchSource(repo, "main", GLOBS, base_dir="../x")


def test_the_environment_of_a_git_hook_does_not_lead_elsewhere(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hooks set GIT_DIR: a run started by one would read another repository."""
    commit(repo, {"docs/a.md": "a"})
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert listed(GitBranchSource(repo, "main", GLOBS)) == {"/a": "docs/a.md"}


def test_a_blob_that_is_damaged_costs_only_itself(repo: Path) -> None:
    """The run goes on and is not complete, so nothing is deleted."""
    commit(repo, {"docs/a.md": "a", "docs/b.md": "b", "docs/c.md": "x" * 2000})
    blob = git(repo, "rev-parse", "HEAD:docs/b.md")
    path = repo / ".git/objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(b"damaged")
    source = GitBranchSource(repo, "main", GLOBS)
    try:
        urls = list(listed(source))
    except SourceUnavailable:  # this git cannot even list sizes then
        return
    assert urls == ["/a", "/c"]
    assert list(source.report.failed) == ["docs/b.md"]
    assert not source.report.complete


def test_the_settings_lead_here(repo: Path) -> None:
    """`source.git.branch` and `repo_dir` have their effect; without them it is the scope's branch (spec 26.1)."""
    commit(repo, {"docs/a.md": "a"})
    git(repo, "switch", "-q", "-c", "Feature/Y")
    commit(repo, {"docs/b.md": "b"})
    project = repo.parent
    by_scope = Settings.model_validate({"source": {"mode": "git-branch", "git": {"repo_dir": "repo"}}})
    assert list(listed(make_source(project, by_scope, scope=sanitise_scope("Feature/Y")))) == ["/a", "/b"]
    assert list(listed(make_source(project, by_scope, scope="main"))) == ["/a"]
    named = Settings.model_validate(
        {"source": {"mode": "git-branch", "git": {"repo_dir": "repo", "branch": "main"}, "exclude": ("/x",)}}
    )
    assert list(listed(make_source(project, named, scope="other"))) == ["/a"]
