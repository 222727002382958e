"""Work of a run per page and chunk: each costly step once, or as often as stated here, with the reason."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from searchsocket.content.chunking import records
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.pipeline.extraction import job, page_steps
from searchsocket.pipeline.run import remote_index
from searchsocket.stores.local.catalogue import records as columns
from searchsocket.stores.words import documents
from tests.pipeline.conftest import PAGES, Site

Calls = dict[str, Counter[Any]]  # of each step, how often by what it was done to

STEPS: dict[str, tuple[list[tuple[Any, str]], Callable[..., list[Any]], int]] = {
    "extract": ([(job, "extract_page")], lambda _, page, *__: [page.url], 1),
    "cut": ([(page_steps, "chunk_page")], lambda page, *_: [page.facts.url], 1),
    "key phrases": ([(page_steps, "phrases_of_page")], lambda title, body: [title], 1),
    "words": ([(documents, "_texts")], lambda row: [row], 1),
    "plain text": ([(columns, "chunk_text")], lambda page, chunk: [(page.url, chunk.ordinal)], 1),
    "embed": ([(BuiltinEmbedder, "embed")], lambda _, texts, *__: list(texts), 1),
    "count tokens": ([(BuiltinEmbedder, "count_tokens")], lambda _, text: [text], 1),
    # To tell whether it changed, and to make its vector.
    "text to embed": (
        [(page_steps, "embedded_text"), (records, "embedded_text"), (remote_index, "embedded_text")],
        lambda title, chunk: [(title, chunk.ordinal)],
        2,
    ),
}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Record the calls of each step from now on."""
    results: Calls = {}
    for step, (places, keys, _) in STEPS.items():
        results[step] = Counter()
        for owner, name in places:
            monkeypatch.setattr(owner, name, counted(getattr(owner, name), keys, results[step]))
    return results


def counted(function: Callable[..., Any], keys: Callable[..., list[Any]], into: Counter[Any]) -> Callable[..., Any]:
    """The function, noting what it is done to."""

    def called(*args: Any, **kwargs: Any) -> Any:
        into.update(keys(*args, **kwargs))
        return function(*args, **kwargs)

    return called


def test_a_cold_run_does_each_step_once(tmp_path: Path, calls: Calls) -> None:
    Site(tmp_path).index()
    assert {step: set(count.values()) for step, count in calls.items()} == {
        step: {n} for step, (*_, n) in STEPS.items()
    }
    assert len(calls["extract"]) == len(PAGES), "of every page"


def test_a_changed_page_is_all_that_is_worked_on(tmp_path: Path, calls: Calls) -> None:
    site = Site(tmp_path)
    site.index()
    for count in calls.values():
        count.clear()
    site.write("docs/faq.html", "FAQ", "<p>Tickets are sold at the door.</p>")
    site.index()
    assert list(calls["extract"].items()) == [("/docs/faq", 1)]
    assert {step: max(count.values()) for step, count in calls.items()} == {step: n for step, (*_, n) in STEPS.items()}
    assert {step: len(count) for step, count in calls.items()} == dict.fromkeys(STEPS, 1)
