"""Scores of the names of a page for a query: its title, its path and the anchors of its sections."""

import json

import numpy as np
import pytest

from searchsocket.search.ranking.names import name_features
from searchsocket.search.ranking.weights import FILE, LISTS, WEIGHTS
from searchsocket.types import Scores

PAGES = (("Task Cancellation", "/advanced/task-cancellation"), ("Tasks", "/api/tasks"), ("Forks", "/forks"))


def total(features: dict[str, Scores]) -> list[float]:
    return sum(features.values(), np.zeros(1)).tolist()


def gains(
    q: str, anchors: tuple[str, str, str] = ("", "", ""), rarities: dict[str, float] | None = None
) -> list[float]:
    return total(name_features(q, PAGES, (0, 1, 2), anchors, rarities or dict.fromkeys(q.split(), 1.0)))


def test_rare_words_in_names_count_more() -> None:
    """ "cancel" tells pages apart, "task" is on most of them."""
    one, other, none = gains("cancel task quickly", rarities={"cancel": 8.0, "task": 1.0, "quickly": 1.0})
    assert one == pytest.approx(WEIGHTS.all_names * 0.9 + WEIGHTS.slug)
    assert other == pytest.approx(WEIGHTS.all_names * 0.1 + WEIGHTS.slug)
    assert none == 0.0


def test_an_anchor_completes_title_and_path() -> None:
    """Of one section: the words of two sections do not add up."""
    rarities = {"forks": 1.0, "errors": 1.0, "effects": 1.0, "x": 1.0}
    pages, codes = PAGES[2:], (0, 0, 0)
    [alone] = total(name_features("forks errors effects x", pages, (0,), ("",), rarities))
    [both] = total(name_features("forks errors effects x", pages, codes, ("errors", "effects", ""), rarities))
    assert both - alone == pytest.approx(WEIGHTS.all_names / 4)


def test_a_title_that_says_all_counts_by_how_little_else_it_says() -> None:
    one, other, _ = gains("tasks")
    assert other == pytest.approx(WEIGHTS.all_names + WEIGHTS.slug + WEIGHTS.named)
    assert one == pytest.approx(WEIGHTS.all_names + (WEIGHTS.slug + WEIGHTS.named) / 2)


@pytest.mark.parametrize("q", ["tasks vs forks", "forks or tasks", "difference between tasks and forks"])
def test_a_query_that_compares_names_several_pages(q: str) -> None:
    both = gains(q)
    plain = gains("tasks with forks")
    assert [both[at] - plain[at] > WEIGHTS.compared_title / 2 for at in range(3)] == [False, True, True]


def test_names_gain_nothing_where_the_query_says_none_of_them() -> None:
    assert gains("something else") == [0.0, 0.0, 0.0]
    assert total(name_features("", PAGES, (0, 1, 2), ("", "", ""), {})) == [0.0, 0.0, 0.0]


def test_every_weight_is_in_the_file_and_in_bounds() -> None:
    """A port of the scoring reads the same file."""
    written = json.loads(FILE.read_text(encoding="utf-8"))
    assert tuple(written["features"]) == WEIGHTS._fields
    assert set(written["fitted"]) < set(WEIGHTS._fields)
    assert all(weight >= 0 for weight in WEIGHTS)
    for shares in LISTS.values():
        assert shares.meaning + shares.words + shares.page == pytest.approx(1.0)
    # What is typed to the letter stays first, whatever names and neighbours add up to.
    assert min(WEIGHTS.only_word, WEIGHTS.title / 2) > WEIGHTS.all_names + WEIGHTS.slug + WEIGHTS.named + WEIGHTS.second
