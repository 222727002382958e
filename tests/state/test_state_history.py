"""Contract of the state for the stages' reports."""

from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState


class TestHistory:
    """Reports come back in the order of writing: clocks jump."""

    def test_reports_of_a_run_come_in_the_order_in_which_stages_ended(self, project: ProjectState) -> None:
        with project.open("main") as state:
            state.history.save("run-1", "pages", "2030", {"total": 1, "warnings": ["å"]})
            state.history.save("run-1", "chunks", "2020", {"total": 2, "numbers": {"cost": 0.5}})
            state.history.save("run-2", "pages", "2010", {"total": 3})
        assert project.results_of("run-1") == [
            {"total": 1, "warnings": ["å"]},
            {"total": 2, "numbers": {"cost": 0.5}},
        ]
        assert project.results_of("nobody's") == []

    def test_a_stage_that_ran_twice_in_a_run_keeps_the_newer_report(self, project: ProjectState) -> None:
        with project.open("main") as state:
            state.history.save("run-1", "pages", "2030", {"total": 1})
            state.history.save("run-1", "pages", "2020", {"total": 2})
            assert state.history.last("pages") == {"total": 2}
        assert project.results_of("run-1") == [{"total": 2}]

    def test_the_last_report_is_that_of_the_scope_and_stage(self, project: ProjectState) -> None:
        with project.open("main") as state, project.open("preview") as other:
            assert state.history.last("pages") is None
            state.history.save("run-1", "pages", "2030", {"total": 1})
            state.history.save("run-1", "chunks", "2030", {"total": 2})
            other.history.save("run-2", "pages", "2030", {"total": 3})
            assert state.history.last("pages") == {"total": 1}

    def test_the_newest_reports_come_first(self, state: ScopeState) -> None:
        for run in range(3):
            state.history.save(f"run-{run}", "pages", "2020", {"total": run})
        assert [report["total"] for report in state.history.newest("pages", 2)] == [2, 1]

    def test_the_last_reports_of_all_scopes_can_be_looked_at(self, project: ProjectState) -> None:
        assert project.last_reports("pages") == {}
        for scope in ("main", "preview"):
            with project.open(scope) as state:
                for run in range(2):
                    state.history.save(f"{scope}-{run}", "pages", "2020", {"total": run})
        assert project.last_reports("pages") == {"main": {"total": 1}, "preview": {"total": 1}}
        assert project.last_report("main", "pages") == {"total": 1}
        assert project.last_report("main", "chunks") is None

    def test_the_last_run_of_each_scope_is_stored(self, project: ProjectState) -> None:
        assert project.last_ends() == {}
        for scope, ends in (("main", ("2030", "2020")), ("preview", ("2010",))):
            with project.open(scope) as state:
                for run, at in enumerate(ends):
                    state.history.save(f"{scope}-{run}", "pages", at, {"total": run})
        assert project.last_ends() == {"main": "2020", "preview": "2010"}, "by the order of writing: clocks jump"

    def test_reports_of_old_runs_go(self, state: ScopeState, project: ProjectState) -> None:
        for run in range(5):
            for stage in ("pages", "chunks"):
                state.history.save(f"run-{run}", stage, "2020", {"total": run})
        with project.open("preview") as other:
            other.history.save("another", "pages", "2020", {"total": 9})
        state.history.keep_newest(2)
        remaining_runs = [run for run in range(5) if project.results_of(f"run-{run}")]
        assert remaining_runs == [3, 4]
        assert project.results_of("another")
