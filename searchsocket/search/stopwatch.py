"""Timings of the parts of a query."""

from time import perf_counter

from searchsocket.search.answer import Timings


class _Part:
    """Adds the time that a block takes to one of the parts."""

    __slots__ = ("_name", "_parts", "_start_s")

    def __init__(self, parts: dict[str, float], name: str) -> None:
        self._parts = parts
        self._name = name

    def __enter__(self) -> None:
        self._start_s = perf_counter()

    def __exit__(self, *_: object) -> None:
        self._parts[self._name] += perf_counter() - self._start_s


class Stopwatch:
    """Adds up the time of each part of a query."""

    def __init__(self) -> None:
        self._start_s = perf_counter()
        self._parts = dict.fromkeys(("embed", "vector", "keyword", "rerank"), 0.0)

    def part(self, name: str) -> "_Part":
        return _Part(self._parts, name)

    def timings(self) -> Timings:
        seconds = self._parts | {"total": perf_counter() - self._start_s}
        return Timings(**{name: round(1000 * duration_s, 3) for name, duration_s in seconds.items()})
