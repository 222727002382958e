"""Several calls under way: each committed when it arrives, none lost, none asked for twice."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from searchsocket.content.chunking.records import content_hash
from searchsocket.errors import BadVectors, EmbedderRefused, EmbedderUnavailable
from searchsocket.models.calling.calls import answers
from searchsocket.models.embedders.base import Limits
from searchsocket.models.embedders.batch import embed_missing
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.models.embedders.openai import OpenAIEmbedder
from searchsocket.models.paying.bill import EmbedOutcome
from tests.models.embedders.openai_server import DIMENSIONS, KEY, Reply, Server, error, serve
from tests.models.embedders.passing import Fake
from tests.models.embedders.test_batch import items

TEXTS = [f"text number {n} of a site" for n in range(40)]
AT_ONCE = 2  # of the processes that are killed
CHILD = """
import sys
from pathlib import Path
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.openai import OpenAIEmbedder
from tests.models.embedders.test_calls import AT_ONCE, TEXTS, run
with EmbeddingCache(Path(sys.argv[1])) as cache:
    embedder = OpenAIEmbedder("text-embedding-3-small", 512, "key", base_url=sys.argv[2])
    run(cache, embedder, *TEXTS, batch_size=1, concurrency=AT_ONCE)
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as listening:
        yield listening


@pytest.fixture
def embedder(server: Server) -> OpenAIEmbedder:
    return OpenAIEmbedder("text-embedding-3-small", DIMENSIONS, KEY, base_url=server.url)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[EmbeddingCache]:
    with EmbeddingCache(tmp_path / "embeddings.db") as opened:
        yield opened


def run(cache: EmbeddingCache, embedder: OpenAIEmbedder, *texts: str, **options: object) -> EmbedOutcome:
    chosen = {"batch_size": 2, "concurrency": 4, "passing": Fake().time} | options
    return embed_missing(cache, embedder, items(*texts), lambda positions: [texts[at] for at in positions], **chosen)  # type: ignore[arg-type]


def cached_texts(cache: EmbeddingCache) -> int:
    return sum(model.texts for model in cache.models())


def test_as_many_are_under_way_as_were_asked_for(
    server: Server, cache: EmbeddingCache, embedder: OpenAIEmbedder
) -> None:
    """Four must be there at once before any of them is answered."""
    together = threading.Barrier(4)
    server.before = lambda server: together.wait(20) and None
    run(cache, embedder, *TEXTS)
    assert server.most_under_way == 4
    assert sorted(server.paid) == sorted(TEXTS)
    vectors = cache.get([content_hash(text) for text in TEXTS], embedder.model_id)
    assert np.array_equal(vectors, HashEmbedder().embed(TEXTS, "passage"))


def test_a_local_model_is_called_in_the_callers_own_thread(cache: EmbeddingCache) -> None:
    """It has threads of its own where they help."""

    class Watched(HashEmbedder):
        threads: set[int] = set()

        def embed(self, texts, kind):  # type: ignore[no-untyped-def]
            self.threads.add(threading.get_ident())
            return super().embed(texts, kind)

    run(cache, Watched(), *TEXTS)  # type: ignore[arg-type]
    assert Watched.threads == {threading.get_ident()}


def test_a_request_is_bounded_by_tokens_too(server: Server, cache: EmbeddingCache, embedder: OpenAIEmbedder) -> None:
    """A request beyond the provider's limit would be refused as a whole."""
    embedder.limits = Limits(texts=3, tokens_a_text=100, tokens=14)  # type: ignore[misc]
    run(cache, embedder, *TEXTS, "a much longer text " * 5, batch_size=100)
    sizes = [[len(text.split()) for text in request["input"]] for request in server.requests]
    assert all(len(size) <= 3 and (sum(size) <= 14 or len(size) == 1) for size in sizes)
    assert min(len(size) for size in sizes[:10]) == 2
    assert sorted(server.paid) == sorted([*TEXTS, "a much longer text " * 5])


def test_each_is_committed_when_it_arrives(server: Server, cache: EmbeddingCache, embedder: OpenAIEmbedder) -> None:
    """One that is late holds up no other."""
    late = threading.Event()
    server.replies.append(Reply(hang=late))
    commits: list[int] = []

    def on_progress(count: int, total: int) -> None:
        commits.append(cached_texts(cache))
        if count == total - 2:  # all but the late one
            late.set()

    run(cache, embedder, *TEXTS, on_progress=on_progress)
    assert commits == list(range(2, 42, 2))


def test_limits_and_failures_that_pass_are_waited_out(
    server: Server, cache: EmbeddingCache, embedder: OpenAIEmbedder
) -> None:
    """For as long as the provider says; a retry pays for nothing that was answered."""
    passing = Fake()
    server.replies.extend([error(429, "rate_limit_exceeded", Retry_After="9"), error(500, "oops"), Reply(cut=True)])
    run(cache, embedder, *TEXTS[:8], concurrency=1, passing=passing.time)
    assert passing.slept == [9.0, 0.25, 0.5]
    assert cached_texts(cache) == 8


@pytest.mark.parametrize("is_limit", [True, False])
def test_all_tries_of_a_call_have_one_deadline(is_limit: bool) -> None:
    """A provider that sends byte after byte holds each try until its timeout."""
    passing, tries = Fake(), []

    def drip(batch: str) -> np.ndarray:
        tries.append(batch)
        passing.now += 60
        raise EmbedderUnavailable("no answer within 60 seconds", is_limit=is_limit)

    with pytest.raises(EmbedderUnavailable):
        list(answers(drip, ["text"], 1, passing=passing.time))
    assert len(tries) == 3


def test_a_very_long_pause_is_an_error(server: Server, cache: EmbeddingCache, embedder: OpenAIEmbedder) -> None:
    server.always = error(429, "rate_limit_exceeded", Retry_After="3600")
    with pytest.raises(EmbedderUnavailable):
        run(cache, embedder, *TEXTS[:2])
    assert len(server.requests) == 1


@pytest.mark.parametrize("concurrency", [1, 4])
def test_an_empty_account_ends_it_at_once_and_what_is_done_is_kept(
    server: Server, cache: EmbeddingCache, embedder: OpenAIEmbedder, concurrency: int
) -> None:
    server.replies.extend([*[Reply()] * 6, *[error(429, "insufficient_quota")] * 50])
    with pytest.raises(EmbedderRefused, match="no credit left"):
        run(cache, embedder, *TEXTS, concurrency=concurrency)
    assert cached_texts(cache) == len(server.paid) == 12
    assert len(server.requests) <= 6 + concurrency
    server.replies.clear()
    again = run(cache, embedder, *TEXTS)
    assert (again.reused, again.created) == (12, 28)
    assert sorted(server.paid) == sorted(TEXTS)


def test_a_failure_ends_the_pauses_of_the_others(
    server: Server, cache: EmbeddingCache, embedder: OpenAIEmbedder
) -> None:
    """Else a run that has failed would sit there for a minute; a batch that waits is not sent again."""
    second = threading.Event()

    def one_after_the_other(server: Server) -> None:
        if len(server.requests) == 2:
            second.wait(0.2)  # until the first is back in the line

    server.before = one_after_the_other
    server.replies.extend([error(500, "oops", Retry_After="60"), error(401, "invalid_api_key")])
    passing = Fake()
    with pytest.raises(EmbedderRefused):
        run(cache, embedder, *TEXTS[:4], concurrency=2, passing=passing.time)
    assert len(server.requests) == 2
    assert passing.slept == []


def test_a_batch_that_cannot_be_right_is_not_stored_and_the_others_are(
    server: Server, cache: EmbeddingCache, embedder: OpenAIEmbedder
) -> None:
    server.replies.append(Reply(spoil=lambda answer: answer | {"data": answer["data"][:1]}))
    with pytest.raises(BadVectors):
        run(cache, embedder, *TEXTS)
    assert cached_texts(cache) == len(server.paid) - 2


def test_runs_that_are_killed_pay_again_only_what_was_under_way(server: Server, tmp_path: Path) -> None:
    """Four processes die in the middle of 40 batches, one after the other; a fifth goes to the end."""
    path, root = tmp_path / "embeddings.db", Path(__file__).parents[3]
    command = [sys.executable, "-c", CHILD, str(path), server.url]
    for number in range(4):
        enough, killed = threading.Event(), threading.Event()
        goal = len(server.requests) + 3

        def before(
            server: Server, goal: int = goal, enough: threading.Event = enough, killed: threading.Event = killed
        ) -> None:
            if len(server.requests) >= goal:
                enough.set()
                killed.wait(60)

        server.before = before
        with ThreadPoolExecutor(1) as pool, subprocess.Popen(command, cwd=root) as child:
            pool.submit(child.wait)
            assert enough.wait(60), number
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            killed.set()
    server.before = lambda server: None
    assert 0 < len(set(server.paid)) < len(TEXTS)
    subprocess.run(command, cwd=root, check=True)
    assert set(server.paid) == set(TEXTS)
    assert len(server.paid) <= len(TEXTS) + 4 * AT_ONCE
    print(f"{len(server.requests)} requests for 40 texts, {len(server.paid) - len(TEXTS)} texts paid twice")
