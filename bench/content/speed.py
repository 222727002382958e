"""The time of content searches over 50,000 chunks, in process: first pages and continuations.

`python -m bench.content.speed [FOLDER]`; an index in FOLDER is used again.
"""

import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np

from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.queries import QueryVectors, vector_for
from searchsocket.search.content.answer import ContentAnswer, ContentQuery
from searchsocket.search.content.folder import PageFolder
from searchsocket.search.content.retrieve import ContentSearch
from searchsocket.search.continuation import Continuations
from searchsocket.stores.base.vector_store import PublishInfo
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Chunk, PageFacts, Prose, Record, Scope, Section

CHUNKS, A_PAGE, WORDS = 50_000, 20, 120
MAIN = Scope("bench", "main")
_BATCH = 2_000
_SEED = 7


def vocabulary() -> list[str]:
    """20,000 words, those that are frequent first; each fiftieth is spelled like code."""
    rng = np.random.default_rng(_SEED)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    words = ["".join(rng.choice(letters[:18], rng.integers(3, 10))) for _ in range(20_000)]
    return [f"{word}{word[::-1].title()}" if number % 50 == 49 else word for number, word in enumerate(words)]


def records(model_id: str) -> Iterator[Record]:
    """Chunks whose words are as frequent as those of a language."""
    rng, words = np.random.default_rng(_SEED + 1), np.array(vocabulary())
    odds = 1 / np.arange(1, len(words) + 1)
    odds /= odds.sum()
    for number in range(CHUNKS):
        url = f"/docs/{number // A_PAGE:05}"
        text = " ".join(rng.choice(words, WORDS, p=odds))
        digest = hashlib.sha256(text.encode()).hexdigest()
        chunk = Chunk(number % A_PAGE, "section", Prose(text), Section((), f"S{number}", f"s{number}", 0))
        yield Record(digest[:40], digest, digest, f"{url}#s{number}~0", MAIN.project_id, MAIN.name, model_id,
                     PageFacts(url=url, title=f"Page {number // A_PAGE}"), chunk)  # fmt: skip


def built(folder: Path, embedder: object) -> LocalStore:
    """The index, made where it is not there."""
    store = LocalStore(folder, MAIN.project_id)
    if store.generation(MAIN) is None:
        batch: list[Record] = []
        for record in records(embedder.model_id):  # type: ignore[attr-defined]
            batch.append(record)
            if len(batch) == _BATCH:
                texts = [one.chunk.body.text for one in batch]
                store.upsert(batch, embedder.embed(texts, "passage"), MAIN)  # type: ignore[attr-defined]
                batch.clear()
        info = PublishInfo(embedder.model_id, embedder.dimensions, "2026-01-01T00:00:00+00:00")  # type: ignore[attr-defined]
        store.publish(MAIN, info)
    return store


def timed(work: Callable[[], ContentAnswer]) -> tuple[float, ContentAnswer]:
    """Milliseconds of the processor, and what was answered: other programs do not count."""
    start = time.process_time()
    answer = work()
    return (time.process_time() - start) * 1000, answer


def main(folder: Path) -> None:
    embedder = BuiltinEmbedder()
    store = built(folder, embedder)
    queries = QueryVectors(lambda _: embedder)
    reader = store.reader(MAIN)
    content = PageFolder("site", reader, partial(vector_for, queries, reader.generation))
    words = vocabulary()
    kinds: dict[str, list[ContentQuery]] = {
        "concepts": [ContentQuery((f"{words[n]} {words[3 * n + 40]}", words[n + 7])) for n in range(60)],
        "rare terms": [ContentQuery((), (words[5_000 + 50 * n + 49], words[3_000 + n])) for n in range(60)],
        "frequent terms": [ContentQuery((), (words[n], words[2 * n + 1])) for n in range(20)],
        "concepts and terms": [ContentQuery((words[n + 200],), (words[n + 500], words[n + 900])) for n in range(60)],
        "concepts and frequent terms": [ContentQuery((words[n + 200],), (words[n],)) for n in range(20)],
        "two words as one term": [ContentQuery((), (f"{words[n + 40]} {words[n + 41]}",)) for n in range(20)],
    }
    print(f"{reader.generation.records} chunks of {WORDS} words, milliseconds of CPU (p50, p95)")
    all_first, all_next = [], []
    for kind, group in kinds.items():
        search = ContentSearch(Continuations(lambda: b"bench"), lambda: datetime.now(UTC))
        first, following = [], []
        for query in group:
            took, answer = timed(partial(search.search, content, query))
            first.append(took)
            if token := answer.continuation.next_token:
                following.append(timed(partial(search.search, content, ContentQuery(continuation_token=token)))[0])
        all_first += first
        all_next += following
        print(f"{kind:28} first {_two(first)}   continuation {_two(following)}")
    print(f"{'all':28} first {_two(all_first)}   continuation {_two(all_next)}")


def _two(times: list[float]) -> str:
    return f"{np.percentile(times, 50):7.1f} {np.percentile(times, 95):7.1f}" if times else "      -       -"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()))
