"""Location of the cache, migration of older caches, and eviction."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.cache_place import adopt, cache_file, open_cache
from tests.models.embedders.test_cache import M, filled, keys, vectors

DAY_S = 86_400
NOW = 20_000 * DAY_S + 5.0


def opened(path: Path, days_ago: int = 0) -> EmbeddingCache:
    return EmbeddingCache(path, now=lambda: NOW - days_ago * DAY_S)


@pytest.fixture
def aged(tmp_path: Path) -> Path:
    """A cache of three models, each used on another day."""
    path = tmp_path / "cache" / "embeddings.db"
    for days, model in ((30, "old"), (10, "older-used"), (0, "new")):
        with opened(path, days) as cache:
            cache.put(keys(300), vectors(300, 64), [2] * 300, model)
    return path


def texts(path: Path) -> dict[str, int]:
    with opened(path) as cache:
        return {model.model_id: model.texts for model in cache.models()}


def test_the_environment_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder relative to the project, the user's, or the state folder where there is no user."""
    home, root, state = tmp_path / "home", tmp_path / "site", tmp_path / "site" / ".searchsocket"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_file({"SEARCHSOCKET_CACHE": "kept"}, root, state) == root / "kept" / "embeddings.db"
    assert cache_file({"SEARCHSOCKET_CACHE": "~/kept"}, root, state) == home / "kept" / "embeddings.db"
    users = cache_file({"HOME": str(home)}, root, state)
    assert users.is_relative_to(tmp_path / "home")
    assert not home.exists()  # to ask is not to make
    open_cache(users).close()
    assert users.parent.stat().st_mode & 0o777 == 0o700
    assert cache_file({}, root, state) == state / "embeddings.db"


def test_a_home_that_is_none_is_no_reason_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").write_text("a file")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    state = tmp_path / ".searchsocket"
    assert cache_file({"HOME": str(tmp_path / "home")}, tmp_path, state) == state / "embeddings.db"


def test_the_cache_of_an_older_version_is_reused(tmp_path: Path) -> None:
    """It was paid for."""
    old, path = tmp_path / "state" / "embeddings.db", tmp_path / "cache" / "embeddings.db"
    filled(old, 5)
    with EmbeddingCache(path) as cache:
        assert adopt(old, cache).startswith(f"5 embeddings of {old} were moved")
        assert cache.missing(keys(5), M) == []
        assert adopt(old, cache) == ""
        assert list(old.parent.iterdir()) == []
    with EmbeddingCache(path) as cache:
        assert adopt(path, cache) == ""  # it lies there already
    assert path.exists()


def test_a_damaged_older_cache_stays_where_it_is(tmp_path: Path) -> None:
    old = tmp_path / "state" / "embeddings.db"
    old.parent.mkdir()
    old.write_bytes(b"noise" * 1000)
    with EmbeddingCache(tmp_path / "cache.db") as cache:
        assert "was not moved" in adopt(old, cache)
    assert old.exists()


def test_the_least_recently_used_texts_are_removed_first(aged: Path) -> None:
    with opened(aged) as cache:
        size_bytes = cache.size_bytes()
        cache.get(keys(300), "old")  # so it is the newest but one now
        removed = cache.prune(max_bytes=size_bytes * 5 // 6)
        assert cache.size_bytes() <= size_bytes * 5 // 6
    assert removed > 0
    remaining_texts = texts(aged)
    assert (remaining_texts["old"], remaining_texts["new"]) == (300, 300)
    assert remaining_texts["older-used"] == 300 - removed


def test_recently_used_texts_stay_in_a_cache_of_any_size(aged: Path) -> None:
    """A run must not remove what another one is about to publish."""
    with opened(aged) as cache:
        assert cache.prune(unused_days=7, max_bytes=0) == 600
    assert texts(aged) == {"new": 300, "old": 0, "older-used": 0}
    with opened(aged) as cache:
        assert np_equal(cache, "new")


def np_equal(cache: EmbeddingCache, model_id: str) -> bool:
    return bool((cache.get(keys(300), model_id) == vectors(300, 64)).all())


def test_one_model_can_go(aged: Path) -> None:
    with opened(aged) as cache:
        before = aged.stat().st_size
        assert cache.prune(model_id="old") == 300
        assert cache.prune(model_id="no such model") == 0
    assert texts(aged) == {"new": 300, "old": 0, "older-used": 300}
    with opened(aged):
        pass
    assert aged.stat().st_size < before


def test_a_file_of_the_first_format_goes_on(tmp_path: Path) -> None:
    """It had no days of use, so what it held counts as oldest."""
    path = tmp_path / "embeddings.db"
    filled(path, 5)
    subprocess.run(
        ["python3", "-c", "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript("
         "'DROP TABLE uses; PRAGMA user_version = 1')", str(path)], check=True,
    )  # fmt: skip
    with EmbeddingCache(path, read_only=True) as cache:
        assert cache.missing(keys(5), M) == []
    with EmbeddingCache(path) as cache:
        assert [model.last_used_day for model in cache.models()] == [0]
        cache.get(keys(2), M)
    with EmbeddingCache(path) as cache:
        assert cache.models()[0].last_used_day == int(time.time() // DAY_S)
        assert cache.prune(unused_days=1) == 3


def test_two_processes_note_their_uses_at_once(aged: Path) -> None:
    """Neither waits for the other, nor fails."""
    with opened(aged) as one, opened(aged) as other:
        one.get(keys(300), "old")
        other.get(keys(300), "older-used")
    with opened(aged) as cache:
        assert {model.last_used_day for model in cache.models()} == {20_000}


assert os.environ["SEARCHSOCKET_CACHE"] == ".searchsocket"  # tests never touch the cache of whoever runs them
