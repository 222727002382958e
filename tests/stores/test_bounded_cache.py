"""The cache is bounded, and a thread keeps the values that it read."""

from hypothesis import given
from hypothesis import strategies as st

from searchsocket.stores.bounded import BoundedCache


@given(st.integers(1, 5), st.lists(st.dictionaries(st.integers(0, 9), st.integers(), max_size=7)))
def test_no_more_is_held_than_the_bound_or_the_last_lookup(limit: int, lookups: list[dict[int, int]]) -> None:
    cache = BoundedCache[int, int](limit)
    for keys in lookups:
        cache.remember(keys)
        assert len(cache.values) <= max(limit, len(keys))
        assert cache.values.items() >= keys.items()


@given(st.integers(1, 5), st.lists(st.tuples(st.integers(0, 9), st.integers())))
def test_one_by_one_it_never_holds_more_than_the_bound(limit: int, lookups: list[tuple[int, int]]) -> None:
    cache = BoundedCache[int, int](limit)
    for key, value in lookups:
        cache.remember_one(key, value)
        assert len(cache.values) <= limit
        assert cache.values[key] == value


def test_a_value_that_is_stored_again_takes_no_more_room() -> None:
    cache = BoundedCache[str, int](3)
    cache.remember_one("a", 1)
    for _ in range(9):
        cache.remember({"b": 2})
    assert cache.values == {"a": 1, "b": 2}


@given(st.integers(1, 20), st.lists(st.text(max_size=9)))
def test_values_count_by_their_sizes(limit: int, lookups: list[str]) -> None:
    cache = BoundedCache[int, str](limit, len)
    for key, value in enumerate(lookups):
        cache.remember_one(key, value)
        assert cache.values[key] == value
        assert sum(map(len, cache.values.values())) <= max(limit, len(value))


def test_values_of_a_thread_survive_a_reset_of_the_cache() -> None:
    cache = BoundedCache[str, int](2)
    cache.remember({"a": 1, "b": 2})
    values = cache.values
    cache.remember_one("c", 3)
    assert (values, cache.values) == ({"a": 1, "b": 2}, {"c": 3})


def test_a_cache_does_not_share_what_it_was_given() -> None:
    cache, results = BoundedCache[str, int](1), {"a": 1, "b": 2}
    cache.remember(results)
    results["c"] = 3
    assert cache.values == {"a": 1, "b": 2}
