"""Extensions act before a run, before its switch and after its publish, and may refuse each."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from searchsocket.errors import LeaseLost, SearchSocketError
from searchsocket.extensions.base import Extension
from searchsocket.pipeline.run import hooks
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.forget import forget_scope
from searchsocket.pipeline.run.hooks import RunHooks
from searchsocket.pipeline.run.index import index_scope, plan_scope
from searchsocket.pipeline.run.rollback import roll_back
from searchsocket.stores.base.index_reader import IndexReader
from tests.pipeline.conftest import Site


class Recorder(RunHooks):
    """Notes each call, and raises at the one that is to fail."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.failing = ""

    @contextmanager
    def hold(self, run: ScopeRun, on_wait: Callable[[str], None]) -> Iterator[bool]:
        self._note("hold")
        yield True
        self._note("released")

    def before_run(self, run: ScopeRun) -> None:
        self._note("before_run")

    def before_change(self, run: ScopeRun) -> None:
        self._note("before_change")

    def before_switch(self, run: ScopeRun, candidate: IndexReader) -> Sequence[str]:
        self._note("before_switch")
        return [f"{candidate.generation.records} records"]

    def after_publish(self, run: ScopeRun) -> None:
        self._note("after_publish")

    def _note(self, name: str) -> None:
        self.calls.append(name)
        if name == self.failing:
            raise LeaseLost("main", "another machine")

    def distinct(self) -> list[str]:
        """The calls in the order in which they came first: a stage calls again what the run has called."""
        return list(dict.fromkeys(self.calls))


RECORDER = Recorder()


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    extension = Extension(name="recorder", run_hooks=f"{__name__}:RECORDER")
    monkeypatch.setattr(hooks, "extensions", lambda: (extension,))
    RECORDER.calls, RECORDER.failing = [], ""
    return RECORDER


def live(site: Site) -> str:
    generation = site.run().backends.store.generation(site.project.scope_named("main"))
    return generation.name if generation else ""


def test_a_run_calls_its_hooks_in_order(site: Site, recorder: Recorder) -> None:
    summary = site.index()
    assert f"{summary.records['upserted']} records" in summary.warnings, "of the generation that is about to go live"
    assert recorder.distinct() == ["hold", "before_run", "released", "before_switch", "after_publish"]
    assert recorder.calls[-1] == "released"


@pytest.mark.parametrize("name", ["hold", "before_run", "before_switch"])
def test_a_hook_that_fails_before_the_switch_keeps_the_live_index(site: Site, recorder: Recorder, name: str) -> None:
    site.index()
    before = live(site)
    site.write("docs/faq.html", "FAQ", "<p>The museum is closed on Mondays.</p>")
    recorder.failing = name
    with pytest.raises(LeaseLost):
        site.index()
    assert live(site) == before
    recorder.failing = ""
    site.index()
    assert live(site) != before


def test_after_a_push_that_failed_the_next_run_pushes_again(site: Site, recorder: Recorder) -> None:
    """Also if nothing changed since."""
    recorder.failing = "after_publish"
    with pytest.raises(LeaseLost):
        site.index()
    published = live(site)
    recorder.failing, recorder.calls = "", []
    site.index()
    assert published
    assert live(site) == published
    assert "after_publish" in recorder.calls


def test_a_dry_run_calls_no_hook(site: Site, recorder: Recorder) -> None:
    plan_scope(site.run())
    assert recorder.calls == []


def test_a_rollback_is_a_change_that_hooks_may_refuse(site: Site, recorder: Recorder) -> None:
    site.index()
    first = live(site)
    site.write("docs/faq.html", "FAQ", "<p>The museum is closed on Mondays.</p>")
    site.index()
    second = live(site)
    recorder.failing = "before_change"
    with pytest.raises(LeaseLost):
        roll_back(site.project, site.project.scope_named("main"), {})
    assert live(site) == second
    recorder.failing, recorder.calls = "", []
    roll_back(site.project, site.project.scope_named("main"), {})
    assert live(site) == first
    assert recorder.calls == ["hold", "before_change", "after_publish", "released"]


def test_other_machines_are_kept_away_only_if_shared_rows_are_deleted(site: Site, recorder: Recorder) -> None:
    index_scope(site.run("preview"))
    scope = site.project.scope_named("preview")
    recorder.calls = []
    forget_scope(site.project, scope, {})
    assert recorder.calls == []
    index_scope(site.run("preview"))
    recorder.calls, recorder.failing = [], "hold"
    with pytest.raises(SearchSocketError):
        forget_scope(site.project, scope, {}, remote=True)
