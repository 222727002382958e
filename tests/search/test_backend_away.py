"""Queries while the machine with the vectors is away, slow, or holds something else: never silently nothing."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from remote_vectors import Machine, remote_site
from search_site import MAIN, NOW, Site

from searchsocket.errors import VectorBackendRefused, VectorBackendUnavailable
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import SearchSettings
from searchsocket.search.backend_guard import BackendGuard
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.types import Hit

QUERY = SearchQuery("battery charging")
WITHOUT_WORDS = SearchQuery("xylophone zeppelin")


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def site(tmp_path: Path, machine: Machine) -> Site:
    return remote_site(tmp_path, machine)


def engine(site: Site, errors: list[BaseException] | None = None, **settings: object) -> SearchEngine:
    guard = BackendGuard(
        SearchSettings.model_validate(settings), clock=lambda: 0.0, on_error=([] if errors is None else errors).append
    )
    guard._first_s = 0.0
    return SearchEngine(site.store, QueryVectors(lambda _: site.embedder), site.settings, lambda: NOW, backend=guard)


def test_a_machine_that_answers_changes_nothing(site: Site) -> None:
    guarded, bare = engine(site).search(QUERY, MAIN), site.engine.search(QUERY, MAIN)
    assert (guarded.results, guarded.meta.notes) == (bare.results, ())


def test_words_alone_answer_and_say_so(site: Site, machine: Machine) -> None:
    machine.is_away = True
    errors: list[BaseException] = []
    answer = engine(site, errors).search(QUERY, MAIN)
    assert answer.results[0].url == "/docs/battery"
    assert [note.code for note in answer.meta.notes] == ["VECTOR_BACKEND_UNAVAILABLE"]
    assert [str(error) for error in errors] == ["10.0.0.9: connection refused"]


def test_an_outage_is_never_an_empty_answer(site: Site, machine: Machine) -> None:
    assert engine(site).search(WITHOUT_WORDS, MAIN).results == ()
    machine.is_away = True
    with pytest.raises(VectorBackendUnavailable):
        engine(site).search(WITHOUT_WORDS, MAIN)


def test_a_site_that_wants_no_answer_from_words_alone_gets_the_error(site: Site, machine: Machine) -> None:
    machine.is_away = True
    with pytest.raises(VectorBackendUnavailable):
        engine(site, on_backend_failure="error").search(QUERY, MAIN)


def test_pages_near_a_page_are_an_error(site: Site, machine: Machine) -> None:
    machine.is_away = True
    with pytest.raises(VectorBackendUnavailable):
        engine(site).related("/docs/battery", MAIN)


def test_a_machine_that_is_slow_is_waited_for_only_so_long(site: Site, machine: Machine) -> None:
    machine.stuck = threading.Event()
    errors: list[BaseException] = []
    try:
        answer = engine(site, errors, backend_timeout_s=0.01).search(QUERY, MAIN)
    finally:
        machine.stuck.set()
    assert answer.results
    assert "did not answer within 0.01 s" in str(errors[0])


def test_a_machine_that_is_away_is_not_asked_at_each_query(site: Site, machine: Machine) -> None:
    machine.is_away = True
    errors: list[BaseException] = []
    engine_calls = engine(site, errors)
    for _ in range(9):
        assert engine_calls.search(QUERY, MAIN).results
    assert (machine.calls, len(errors)) == (3, 3)
    with pytest.raises(VectorBackendUnavailable) as refused:
        engine_calls.related("/docs/battery", MAIN)
    assert refused.value.retry_after_s == 1.0


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda hits: [], id="emptied"),
        pytest.param(lambda hits: hits[:-1], id="short of one"),
        pytest.param(lambda hits: [Hit("foreign", 1.0)] * len(hits), id="of somebody else"),
    ],
)
def test_rows_that_are_not_those_of_the_generation_are_no_answer(
    site: Site, machine: Machine, change: Callable[[list[Hit]], list[Hit]]
) -> None:
    machine.change = change
    answer = engine(site).search(QUERY, MAIN)
    assert answer.results[0].url == "/docs/battery"
    assert [note.code for note in answer.meta.notes] == ["VECTOR_BACKEND_UNAVAILABLE"]
    with pytest.raises(VectorBackendRefused, match="index --resync --scope main"):
        engine(site, on_backend_failure="error").search(QUERY, MAIN)


def test_a_row_of_somebody_else_is_in_no_answer(site: Site, machine: Machine) -> None:
    engine_calls = engine(site)
    before = engine_calls.search(QUERY, MAIN)
    machine.change = lambda hits: [Hit("foreign", 1.0), *hits]
    after = engine_calls.search(QUERY, MAIN)
    assert (after.results, after.meta.notes) == (before.results, ())


def test_health_asks_whether_the_machine_answers_and_not_each_time(site: Site, machine: Machine) -> None:
    engine_calls = engine(site)
    assert engine_calls.backend_trouble(MAIN) is None, "nothing is open"
    site.store.reader(MAIN)
    assert engine_calls.backend_trouble(MAIN) is None
    machine.is_away = True
    assert engine_calls.backend_trouble(MAIN) is None, "asked a moment ago"
    assert "connection refused" in str(engine(site).backend_trouble(MAIN))
    assert machine.calls == 2


def test_vectors_in_the_folder_are_asked_without_a_guard(tmp_path: Path) -> None:
    """A query of a local index must not pay for threads."""
    from search_site import DOCS, make_site

    local = make_site(tmp_path, DOCS)
    reader = local.store.reader(MAIN)
    assert BackendGuard(SearchSettings()).guarded(reader) is reader
