"""The child that reads blobs of a repository."""

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from git_repository import commit, git

from searchsocket.errors import SourceUnavailable
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.sources.git_objects import BlobReader, Repository

GLOBS = ["docs/**/*.md"]


class TestBlobReader:
    """One child reads all pages; it must never be shared, lost or left behind."""

    def test_it_survives_its_child(self, repo: Path) -> None:
        """A child that was killed is replaced at the next read."""
        commit(repo, {"docs/a.md": "a"})
        blob = git(repo, "rev-parse", "HEAD:docs/a.md")
        reader = BlobReader(Repository(repo))
        assert reader.read(blob, 10) == b"a"
        child = reader._process
        assert child is not None
        child.kill()
        child.wait()
        assert reader.read(blob, 10) == b"a"
        reader.close()
        assert reader._process is None

    def test_a_refused_blob_does_not_spoil_the_next(self, repo: Path) -> None:
        """Too large, not there, no blob: the next answer belongs to the next question."""
        commit(repo, {"docs/a.md": "a", "docs/b.md": "b" * 300_000})
        small, large, tree = (git(repo, "rev-parse", f"HEAD:{name}") for name in ("docs/a.md", "docs/b.md", "docs"))
        reader = BlobReader(Repository(repo))
        for bad in (large, "0" * 40, tree, "--help", "HEAD:docs/a.md", f"{small}\n{small}", ""):
            with pytest.raises(SourceUnavailable):
                reader.read(bad, 1000)
            assert reader.read(small, 1000) == b"a"
        assert reader.read(large, 300_000) == b"b" * 300_000
        reader.close()

    def test_no_child_is_left_behind(self, repo: Path) -> None:
        """Also when the source is dropped, or its listing is stopped in the middle."""
        commit(repo, {f"docs/{i}.md": str(i) for i in range(50)})
        source = GitBranchSource(repo, "main", GLOBS)
        pages = source.pages()
        source.read(next(pages))
        child = source._blobs._process
        assert child is not None
        pages.close()
        del pages, source
        assert child.returncode is not None

    def test_threads_and_processes_read_their_own_pages(self, repo: Path) -> None:
        """Extraction maps batches over threads and over processes that start clean (spec 8.5)."""
        commit(repo, {f"docs/{i}.md": f"{i} " * 5000 for i in range(20)})
        source = GitBranchSource(repo, "main", GLOBS)
        pages = list(source.pages())
        expected = [f"{page.url[1:]} ".encode() * 5000 for page in pages]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(source.read, pages)) == expected
        assert pickle.loads(pickle.dumps(source)).read(pages[3]) == expected[3]
        with ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as processes:
            assert list(processes.map(source.read, pages)) == expected
        assert source.read(pages[0]) == expected[0]
