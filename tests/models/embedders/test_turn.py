"""Runs of several scopes at once embed each text once."""

import threading
from pathlib import Path

import pytest

from searchsocket.errors import Interrupted
from searchsocket.models.embedders.batch import embedding_turn


def never() -> bool:
    raise AssertionError("nobody else has the turn")


def test_whoever_comes_second_embeds_what_is_left(tmp_path: Path) -> None:
    """Two runs over one cache with texts in common: none is embedded twice."""
    stored: set[str] = set()
    embedded: list[str] = []
    begun, waiting = threading.Event(), threading.Event()
    cache = tmp_path / "embeddings.db"

    def run(texts: set[str], *, is_first: bool) -> None:
        def missing() -> bool:
            return not texts <= stored

        with embedding_turn(cache, "model", is_needed=missing, on_wait=waiting.set):
            mine = sorted(texts - stored)
            if is_first:
                begun.set()
                assert waiting.wait(60)
            embedded.extend(mine)
            stored.update(mine)

    first = threading.Thread(target=run, args=({"a", "b"},), kwargs={"is_first": True})
    first.start()
    assert begun.wait(60)
    run({"b", "c"}, is_first=False)
    first.join(60)
    assert sorted(embedded) == ["a", "b", "c"]


def test_a_call_without_work_does_not_wait(tmp_path: Path) -> None:
    cache = tmp_path / "embeddings.db"
    with (
        embedding_turn(cache, "model", is_needed=never, on_wait=never),
        embedding_turn(cache, "model", is_needed=lambda: False, on_wait=never),
        embedding_turn(cache, "another model", is_needed=never, on_wait=never),
    ):
        pass


def test_a_run_that_is_told_to_stop_waits_no_longer(tmp_path: Path) -> None:
    def stopped() -> None:
        raise Interrupted("told to stop")

    cache = tmp_path / "embeddings.db"
    with embedding_turn(cache, "model", is_needed=never, on_wait=never), pytest.raises(Interrupted):  # noqa: SIM117
        with embedding_turn(cache, "model", is_needed=lambda: True, on_wait=stopped):
            pass
