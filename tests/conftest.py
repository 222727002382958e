"""Fixtures that every test may use."""

import gc
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import tests.own_cache  # noqa: F401  # whatever is tested
from examples.site_archive import unpack
from tests.parts import LONG, SLOW, is_smoke, place_in

TESTS = Path(__file__).parent

# The same examples on every run and machine, however slow; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

GoldenCheck = Callable[[Path, Any], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files; read the diff afterwards")
    parser.addoption("--part", choices=["quick", "rest"], help="run these tests only; see tests/parts.py")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of the other part."""
    part = config.getoption("--part")
    if not part or collection_path.suffix != ".py":
        return None
    path = collection_path.relative_to(TESTS).as_posix()
    if place_in(SLOW, path) is None:
        return part == "rest" or None
    return (part == "quick" and not is_smoke(path)) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no worker is left with one at the end."""
    part = config.getoption("--part")
    chosen: list[tuple[int, pytest.Item]] = []
    others: list[pytest.Item] = []
    for item in items:
        path = item.path.relative_to(TESTS).as_posix()
        if path in LONG:
            item.add_marker("long")
        place = place_in(SLOW, path)
        if place is not None and part and is_smoke(path, item.nodeid.partition("::")[2]) != (part == "quick"):
            others.append(item)
        else:
            chosen.append((len(SLOW) if place is None else place, item))
    if others:
        config.hook.pytest_deselected(items=others)
    items[:] = [item for _, item in sorted(chosen, key=lambda placed: placed[0])]


def pytest_collection_finish() -> None:
    """Look through thousands of tests and modules for garbage no more: it took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_configure(config: pytest.Config) -> None:
    """Unpack the built documentation site once, before any worker starts.

    A shell starts commands in the background with SIGINT ignored. Dagster gives SIGTERM the handler of SIGINT, so that
    no process started by a test could be stopped.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        unpack()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> GoldenCheck:
    """Compare a value with a golden file: text as it is, anything else as sorted JSON."""

    def check(path: Path, value: Any) -> None:
        text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)
        text = text.rstrip("\n") + "\n"
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden file {path}; write it with --update-golden and read it"
        assert text == path.read_text(encoding="utf-8")

    return check
