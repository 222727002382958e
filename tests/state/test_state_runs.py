"""Contract of the state for runs: they exclude each other, end completely, and a dry run leaves no trace."""

import threading
from pathlib import Path

import pytest

from searchsocket.errors import ScopeLocked
from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState
from tests.state.building import chunked, extracted, listed


class TestRuns:
    def test_writes_are_visible_to_the_next_run(self, project: ProjectState) -> None:
        with project.open("main") as state:
            chunked(state, "/a", "one")
        with project.open("main") as state:
            assert state.chunks.count() == (1, 1)

    def test_two_runs_of_a_scope_exclude_each_other(self, project: ProjectState) -> None:
        """Different scopes run side by side, and the one that has a lock may take it again."""
        refused: list[ScopeLocked] = []
        waited: list[str] = []

        def another() -> None:
            try:
                with project.lock("main", timeout_s=0.01, on_wait=waited.append):
                    pass
            except ScopeLocked as error:
                refused.append(error)
            with project.lock("preview"):
                pass

        with project.lock("main"), project.lock("main"):
            thread = threading.Thread(target=another)
            thread.start()
            thread.join()
        assert len(refused) == len(waited) == 1
        with project.lock("main"):
            pass

    def test_a_transaction_is_written_completely_or_not_at_all(self, project: ProjectState) -> None:
        with project.open("main") as state:
            with pytest.raises(RuntimeError):
                write_half(state)
            assert state.pages.count() == 0
            with state.transaction():
                listed(state, "/c")
            assert state.pages.count() == 1

    def test_a_run_that_dies_keeps_what_it_had_finished(self, project: ProjectState) -> None:
        with pytest.raises(KeyboardInterrupt), project.open("main") as state:
            write_and_die(state)
        with project.open("main") as state:
            assert state.pages.count() == 1

    def test_a_dry_run_reads_what_is_known_and_writes_nothing(self, project: ProjectState, files: Path) -> None:
        with project.open("main") as state:
            extracted(state, "/a", body="words")
        before = contents(files)
        with project.dry_copy() as copy, copy.open("main") as state:
            assert state.mirror.page(state.mirror.dirty()[0]).extract.body == "words"
            listed(state, "/b")
            assert state.pages.count() == 2
        assert contents(files) == before
        with project.open("main") as state:
            assert state.pages.count() == 1

    def test_a_dry_run_over_nothing_leaves_nothing(self, project: ProjectState, files: Path) -> None:
        with project.dry_copy() as copy, copy.open("main") as state:
            listed(state, "/a")
        assert contents(files) == {}

    def test_a_scope_is_forgotten_and_no_other(self, project: ProjectState) -> None:
        for scope in ("main", "preview"):
            with project.open(scope) as state:
                chunked(state, "/a", "one")
                state.pages.set_complete()
                state.history.save(f"run of {scope}", "pages", "", {"total": 1})
        project.forget("main")
        with project.open("main") as state, project.open("preview") as other:
            assert (state.pages.count(), state.chunks.count()) == (0, (0, 0))
            assert not state.mirror.must_sweep()
            assert (other.pages.count(), other.chunks.count()) == (1, (1, 1))
        assert not project.results_of("run of main")
        assert project.results_of("run of preview")

    def test_forgetting_where_nothing_is_known_makes_nothing(self, project: ProjectState, files: Path) -> None:
        project.forget("main")
        assert contents(files) == {}


def write_half(state: ScopeState) -> None:
    with state.transaction():
        listed(state, "/a")
        with state.transaction():  # belongs to the outer one
            listed(state, "/b")
        raise RuntimeError


def write_and_die(state: ScopeState) -> None:
    with state.transaction():
        listed(state, "/a")
    raise KeyboardInterrupt


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
