"""Evidence for code besides its chunk: the file name, and other chunks of the file."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

import numpy as np
import pytest

from searchsocket.extensions.code.parsing.symbols import labels_of
from searchsocket.extensions.code.search.candidates import CodeCandidates
from searchsocket.extensions.code.search.ranking import RankedCode, describes_code, longer_first, path_shares, rank_code
from searchsocket.stores.base.index_reader import Facts

MANY, FEW = "retry a failed upload of the queue in the worker", "failed uploads"


def ranked(
    q: str,
    urls: list[str],
    meaning: list[float],
    symbols: tuple[str, ...] = (),
    names: Mapping[str, str] = MappingProxyType({}),
    written: Collection[str] = (),
) -> list[tuple[str, float]]:
    """Files in their order with their scores; each chunk is in its file's place and says no word of the query."""
    results, _ = of_chunks(q, urls, meaning, [0.0] * len(urls), symbols, names, written)
    return [(urls[result.position], result.score) for result in results]


def of_chunks(
    q: str,
    urls: list[str],
    meaning: list[float],
    words: list[float],
    symbols: tuple[str, ...] = (),
    names: Mapping[str, str] = MappingProxyType({}),
    written: Collection[str] = (),
) -> tuple[list[RankedCode], CodeCandidates]:
    """The ranking of chunks with these similarities and words, with its parts, and the candidates."""
    count = len(urls)
    numbers, nothing = np.arange(count), np.zeros(count)
    facts = Facts(urls, [""] * count, [""] * count, ["function"] * count, numbers, numbers, numbers, np.ones(count))
    labels = [
        frozenset({"test=true"} if "/tests/" in url else ())
        | frozenset(labels_of([names[url]] if url in names else ()))
        for url in urls
    ]
    ids = [str(number) for number in numbers]
    identifiers = np.array([float(url in written) for url in urls])
    candidates = CodeCandidates(ids, facts, labels, np.array(meaning), np.array(words), nothing, identifiers)
    return rank_code(candidates, q, symbols, explain=True), candidates


@pytest.mark.parametrize("q", [MANY, FEW])
def test_a_file_whose_name_says_the_query_goes_first(q: str) -> None:
    """Files are named after what they are about, so that of two chunks that mean the same the name decides."""
    assert ranked(q, ["/page/view.ts", "/src/uploadQueue.ts"], [0.5, 0.5])[0][0] == "/src/uploadQueue.ts"


def test_the_name_of_a_test_counts_less() -> None:
    """It is named after the code that it tests."""
    urls = ["/src/upload.ts", "/src/view.ts", "/tests/upload.ts", "/tests/view.ts"]
    score = dict(ranked(FEW, urls, [0.5] * 4))
    of_source, of_test = score[urls[0]] - score[urls[1]], score[urls[2]] - score[urls[3]]
    assert 0 < of_test < of_source / 2


def test_a_second_chunk_of_a_file_counts_less() -> None:
    """Another file nearly as good says more than more of the same; one that is far worse does not."""
    urls = ["/a/one.ts", "/a/one.ts", "/a/two.ts", "/a/far.ts"]
    files = [url for url, _ in ranked("closing", urls, [1.0, 0.98, 0.9, 0.0])]
    assert files == ["/a/one.ts", "/a/two.ts", "/a/one.ts", "/a/far.ts"]


def test_the_chunk_with_the_words_has_the_place_of_its_file() -> None:
    """Files are compared by meaning, the chunks of one file by their words; the parts still add up to the score."""
    urls, meaning = ["/a/best.ts", "/a/best.ts", "/a/other.ts"], [1.0, 0.8, 0.9]
    without, _ = of_chunks("closing", urls, meaning, [0.0, 0.0, 0.0])
    with_words, _ = of_chunks("closing", urls, meaning, [0.0, 1.0, 0.0])
    assert [result.position for result in without] == [0, 2, 1]
    assert [result.position for result in with_words] == [1, 2, 0]
    for result in (*without, *with_words):
        assert sum(result.parts) == pytest.approx(result.score, abs=1e-5)


def test_a_file_named_as_the_query_goes_first_where_no_definition_is_known() -> None:
    """In languages without a grammar the name of the file is the only sign of what it defines."""
    urls = ["/core/SessionDelegate.swift", "/core/session.swift", "/core/Session.swift"]
    files = [url for url, _ in ranked("Session", urls, [0.5, 0.5, 0.5], ("Session",))]
    assert files == ["/core/Session.swift", "/core/session.swift", "/core/SessionDelegate.swift"]


def test_the_last_part_of_a_name_counts_as_written() -> None:
    """In a language with modules a whole name is seldom typed, and many methods have the name of a class."""
    names = {"/whole.rb": "Request", "/class.rb": "Rack.Request", "/method.rb": "Rack.Mock.request"}
    urls = ["/method.rb", "/class.rb", "/whole.rb"]
    assert [url for url, _ in ranked("Request", urls, [0.9, 0.1, 0.5], ("Request",), names)] == urls[::-1]
    among_words = ranked("Request of fork_worker", urls, [0.9, 0.1, 0.1], ("fork_worker",), names)
    assert among_words[0][0] == "/method.rb"


def test_a_chunk_that_contains_an_identifier_is_before_all_that_do_not() -> None:
    """Nobody types `retry_budget` for a chunk that is only about budgets; its definition is still first."""
    urls = ["/near.ts", "/tests/use.ts", "/definition.ts"]
    names = {"/near.ts": "budget_of_retries", "/definition.ts": "retry_budget"}
    order = ranked("retry_budget", urls, [1.0, 0.0, 0.1], ("retry_budget",), names, urls[1:])
    assert [url for url, _ in order] == urls[::-1]


@pytest.mark.parametrize("q", ["Ring.push", "add to the ring"])
def test_a_definition_is_before_its_declaration(q: str) -> None:
    """A header says again what the source defines, in fewer words; a class that only a header defines stays."""
    urls = ["/include/ring.h", "/include/queue.h", "/src/ring.cc", "/src/far.cc"]
    names = {"/include/ring.h": "Ring.push", "/include/queue.h": "Queue", "/src/ring.cc": "Ring.push"}
    symbols = (q,) if q == "Ring.push" else ()
    order = [url for url, _ in ranked(q, urls, [1.0, 0.99, 0.9, 0.0], symbols, names)]
    assert order.index("/src/ring.cc") < order.index("/include/ring.h")
    assert [url for url, _ in ranked("add to it", urls[:2], [1.0, 0.99], (), names)] == urls[:2]


def test_a_short_chunk_counts_less_for_a_description() -> None:
    """An accessor of two lines has the words of a description close together; the code that does it is longer."""
    short, long = (RankedCode(score, at, 0.0, 0.0, 0.0, 0.0, 0.0) for at, score in enumerate((0.5, 0.48)))
    assert longer_first([short, long], [2, 20])[0] == long
    assert longer_first([short, long], [8, 20])[0] == short
    assert describes_code("where the ring is full")
    assert not any(map(describes_code, ("Ring.push", "ring push", "where is the size set")))


def test_scores_stay_between_nothing_and_all() -> None:
    """Also where the path says every word of the query."""
    scores = [score for _, score in ranked(FEW, ["/failed/upload.ts", "/x.ts"], [1.0, 0.0])]
    assert 0 <= scores[1] < scores[0] <= 1


@pytest.mark.parametrize(
    ("url", "q", "shares"),
    [
        ("/src/http_parser.py", "parsing of requests", (0.5, 0.5, 1 / 3)),  # `pars` begins `parser`
        ("/src/parser/index.ts", "the parser", (1.0, 1.0, 1 / 3)),  # such a file is named by its folder
        ("/src/log.py", "logarithm", (0.0, 0.0, 0.0)),  # three letters begin too many words
        ("/README", "where is the end", (0.0, 0.0, 0.0)),
        ("/123", "123", (0.0, 0.0, 0.0)),
    ],
)
def test_shares_of_words_in_paths(url: str, q: str, shares: tuple[float, float, float]) -> None:
    result = path_shares([url, url], q)
    assert np.array(result) == pytest.approx(np.array([[share, share] for share in shares]))


def test_a_name_that_only_a_test_defines_scores_less_than_one_of_the_source() -> None:
    names = {"/src/work.py": "Work", "/tests/work.py": "Work"}
    in_source, in_test = (ranked("Work", [url], [0.5], ("Work",), names)[0][1] for url in names)
    assert in_test < 0.87 * in_source
