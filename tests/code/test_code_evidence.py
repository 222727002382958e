"""What a query of many words finds code by: besides itself its file, and where that lies."""

import numpy as np
import pytest

from searchsocket.search.code.ranking import evidence_of

MANY, FEW = "retry a failed upload of the queue in the worker", "retry a failed upload"


def evidence(q: str, urls: list[str], meaning: list[float]) -> list[float]:
    signals = np.array(meaning)
    return [round(one, 4) for one in evidence_of(q, urls, signals, signals, signals, np.ones(len(urls))).tolist()]


def test_a_path_that_says_words_of_a_long_query_counts() -> None:
    """Of words that are spelled in the folders and the name: a change names the part of the project that it is in."""
    worker, other = evidence(MANY, ["/src/worker/uploadQueue.ts", "/src/page/view.ts"], [0.5, 0.5])
    assert worker > other
    assert evidence(FEW, ["/src/upload.ts", "/src/view.ts"], [0.5, 0.5]) == [0.5, 0.5]


def test_of_a_long_query_a_file_that_says_it_twice_goes_first() -> None:
    """Its words lie scattered; of a short one each chunk stands for itself."""
    urls = ["/a/one.ts", "/a/two.ts", "/a/two.ts"]
    alone, best, second = evidence(MANY, urls, [0.7, 0.69, 0.6])
    assert best > alone > 0
    assert second < best
    assert evidence(FEW, urls, [0.7, 0.69, 0.6]) == [0.7, 0.69, 0.6]


@pytest.mark.parametrize("q", [MANY, FEW])
def test_evidence_stays_between_nothing_and_all(q: str) -> None:
    """So that what defines a name goes before what only speaks of it, however long the query."""
    whole = evidence(q, ["/retry/failed/upload/queue/worker", "/retry/failed/upload/queue/worker"], [1.0, 1.0])
    assert max(whole) == pytest.approx(1.0)
    assert evidence(q, ["/x.ts"], [0.0]) == [0.0]
