"""Runs that are stopped, and the files of runs that end early."""

import signal
from collections.abc import Callable
from dataclasses import replace

import pytest

from searchsocket.errors import Interrupted, StrictRoutesFailed
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.stage import uninterrupted
from searchsocket.pipeline.run.stages import STAGES
from tests.pipeline.conftest import Site


def told_at(question: int) -> Callable[[], bool]:
    """Says yes to the question of that number, from 1, and to those after it."""
    requests: list[int] = []

    def should_stop() -> bool:
        requests.append(1)
        return len(requests) >= question

    return should_stop


@pytest.mark.parametrize("question", range(1, len(STAGES) + 2))
def test_a_run_is_asked_before_each_stage_and_before_the_switch(site: Site, question: int) -> None:
    """Whatever was done by then, the live index is as it was; the next run has it all."""
    site.index()
    before = site.records()
    site.write("docs/faq.html", "FAQ", "<p>The museum is closed on Mondays.</p>")
    with pytest.raises(Interrupted):
        index_scope(replace(site.run(), should_stop=told_at(question)))
    assert site.records() == before
    folder = site.project.state_dir / "index" / "main"
    assert len(list(folder.glob("2*"))) == 1
    assert site.index().records["upserted"] > 0
    assert not list(folder.glob(".*"))


def test_nobody_is_asked_after_the_switch(site: Site) -> None:
    summary = index_scope(replace(site.run(), should_stop=told_at(len(STAGES) + 2)))
    assert summary.generation


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_switch_is_let_pass_and_handlers_come_back(site: Site, number: signal.Signals) -> None:
    before = [signal.getsignal(item) for item in (signal.SIGINT, signal.SIGTERM)]
    with uninterrupted(site.run()):
        signal.raise_signal(number)
    assert [signal.getsignal(entry) for entry in (signal.SIGINT, signal.SIGTERM)] == before


def test_no_run_leaves_an_empty_temporary_folder(site: Site) -> None:
    """Neither one that completes nor one that fails after it wrote the mirror."""
    site.write("docs/new.html", "New", "<p>No route file made this page.</p>")
    with pytest.raises(StrictRoutesFailed):
        site.index(strict_routes=True)
    assert site.mirror()
    temporary = site.project.state_dir / "tmp"
    assert list(temporary.glob("*")) == []
    site.index()
    assert list(temporary.glob("*")) == []
