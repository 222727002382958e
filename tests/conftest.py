"""Fixtures that every test may use."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import tests.own_cache  # noqa: F401  # whatever is tested
from examples.site_archive import unpack

# The same examples on every run and machine, however slow; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

GoldenCheck = Callable[[Path, Any], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files; read the diff afterwards")


def pytest_configure(config: pytest.Config) -> None:
    """Unpack the built documentation site once, before any worker starts."""
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
