"""Passages for agents: scored as documented, every chunk with a term, pages that neither repeat nor skip."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_site import DOCS, MAIN, NOW, Piece, Site, make_site

from searchsocket.errors import ChunkGone, ContinuationGone, InvalidRequest
from searchsocket.models.embedders.queries import vector_for
from searchsocket.search.content.answer import ContentAnswer, ContentQuery
from searchsocket.search.content.folder import ContentFolder, PageFolder
from searchsocket.search.content.retrieve import ContentSearch
from searchsocket.search.continuation import Continuations
from searchsocket.text.exact import ExactTerm

WORDS = Continuations(lambda: b"a key")
MANY = [
    Piece(f"/p{n % 40:02}", f"note {n} on {'useState ' * (n % 3 == 0)}{'WebSocket' * (n % 4 == 0)} {n % 7}", ordinal=n)
    for n in range(120)
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("content"), [*DOCS, *MANY])


def corpus_of(site: Site, folder_id: str = "site") -> ContentFolder:
    reader = site.engine.opened(MAIN)
    return PageFolder(folder_id, reader, partial(vector_for, site.engine.queries, reader.generation))


def ask(site: Site, words: Continuations = WORDS, **fields: Any) -> ContentAnswer:
    return ContentSearch(words, lambda: NOW).search(corpus_of(site), ContentQuery(**fields))


def pages(site: Site, limits: list[int], **fields: Any) -> Iterator[ContentAnswer]:
    """Page after page, each with a size of its own."""
    answer = ask(site, limit=limits[0], **fields)
    yield answer
    while answer.continuation.next_token:
        limits = [*limits[1:], limits[0]]
        answer = ask(site, limit=limits[0], continuation_token=answer.continuation.next_token)
        yield answer


def ids(*answers: ContentAnswer) -> list[str]:
    return [result.chunk_id for answer in answers for result in answer.data.results]


TERMS = st.lists(st.sampled_from(["useState", "usestate", "websocket", "on", "note", "7", "nowhere"]), min_size=1)


@given(TERMS)
def test_exact_terms_alone_give_every_chunk_that_holds_one(site: Site, terms: list[str]) -> None:
    """The counts of the posting lists equal those of a scan of all texts, best first."""
    terms = list(dict.fromkeys(terms))
    reader = site.engine.opened(MAIN)
    texts = dict(zip(all_ids := reader.words.holding(()), reader.catalogue.texts(all_ids), strict=True))
    counts = {one: sum(ExactTerm(term).is_in(text) for term in terms) for one, text in texts.items()}
    passages = list(pages(site, [50], exact_terms=tuple(terms)))
    results = [result for answer in passages for result in answer.data.results]
    assert passages[0].data.statistics.total_results == len(results) == sum(map(bool, counts.values()))
    assert sorted(len(item.raw.exact_terms) for item in results) == sorted(filter(None, counts.values()))
    scores = [result.raw.score for result in results]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "fields",
    [
        {"semantic_concepts": ("battery charging",)},
        {"exact_terms": ("useState", "WebSocket")},
        {"semantic_concepts": ("winter", "sleep"), "exact_terms": ("note", "useState")},
    ],
)
def test_pages_of_any_size_are_one_list(site: Site, fields: dict[str, Any]) -> None:
    whole = list(pages(site, [50], **fields))
    parts = list(pages(site, [3, 7, 1], **fields))
    assert ids(*parts) == ids(*whole)
    assert len(set(ids(*parts))) == len(ids(*parts)) == whole[0].data.statistics.total_results
    assert {part.data.statistics.total_results for part in parts} == {whole[0].data.statistics.total_results}
    assert ids(ask(site, limit=5, **fields)) == ids(ask(site, limit=20, **fields))[:5]


def test_the_score_is_the_documented_one(site: Site) -> None:
    """raw = cosine x 1.5 for each distinct term that is there; divided by the most, it is in [0, 1] (spec 16)."""
    query_fields = {
        "semantic_concepts": ("the battery",),
        "exact_terms": ("battery", "dock", "batteryLevel", "BATTERY"),
    }
    answer = ask(site, **query_fields)
    best = answer.data.results[0]
    assert best.file_path == "docs/battery.md"
    assert best.raw.exact_terms == query_fields["exact_terms"]
    assert best.raw.boost == 1.5**4
    assert best.raw.score == pytest.approx(best.raw.semantic * 1.5**4, abs=1e-3)
    assert best.relevance_score == pytest.approx(best.raw.semantic, abs=1e-3)
    plain = ask(site, semantic_concepts=("the battery",)).data.results[0]
    assert (plain.raw.boost, plain.raw.exact_terms) == (1.0, ())
    alone = ask(site, exact_terms=("dock", "nowhere")).data.results[0]
    assert (alone.raw.semantic, alone.raw.score, alone.relevance_score) == (
        1.0,
        1.5,
        pytest.approx(1.5 / 2.25, abs=1e-4),
    )


def test_summaries_and_hidden_pages_are_no_content(tmp_path: Path) -> None:
    pieces = [Piece("/a", "seen"), Piece("/a", "seen too", kind="summary", section="s"), Piece("/b", "seen", weight=0)]
    answer = ask(make_site(tmp_path, pieces), exact_terms=("seen",))
    assert [result.file_path for result in answer.data.results] == ["a.md"]


def test_positions_in_a_document_count_its_content_from_0(tmp_path: Path) -> None:
    """A summary stands before the sections of its page, and is none of them."""
    summary = Piece("/a", "about ropes", kind="summary", ordinal=0)
    pieces = [summary, Piece("/a", "first of ropes", ordinal=1), Piece("/a", "second of ropes", ordinal=2)]
    site = make_site(tmp_path, [*pieces, Piece("/b", "ropes without a summary")])
    results = {result.content: result.chunk_index for result in ask(site, exact_terms=("ropes",)).data.results}
    assert results == {"first of ropes": 0, "second of ropes": 1, "ropes without a summary": 0}


def test_an_answer_keeps_to_its_tokens_and_goes_on(tmp_path: Path) -> None:
    """Whole chunks while they fit; one that is too long alone is cut at a line, and says so."""
    long = "\n".join(f"line {n} of a long chunk about ropes and knots" for n in range(400))
    site = make_site(
        tmp_path, [Piece("/long", long), *(Piece(f"/s{n}", f"ropes {'and knots ' * 40}") for n in range(9))]
    )
    results = list(pages(site, [10], exact_terms=("ropes",), max_tokens=600))
    assert len(set(ids(*results))) == len(ids(*results)) == 10
    assert all(answer.data.statistics.tokens <= 600 for answer in results)
    assert [answer.continuation.truncated for answer in results] == [True] * (len(results) - 1) + [False]
    [cut] = [result for answer in results for result in answer.data.results if result.truncated]
    assert long.startswith(cut.content)
    assert cut.content.endswith("\n")
    [whole] = [
        item for item in ask(site, exact_terms=("ropes",), max_tokens=20_000).data.results if item.content == long
    ]
    assert whole.chunk_id == cut.chunk_id


def test_a_token_is_good_for_its_query_folder_and_generation_alone(site: Site, tmp_path: Path) -> None:
    token = ask(site, exact_terms=("note",), limit=2).continuation.next_token or ""
    changed = token[:-2] + ("A" if token[-2] != "A" else "B") + token[-1]
    for wrong in (
        changed,
        token[:-1],
        "x" * 40,
        "é",
        "=",
        token + "A" * 8,
        Continuations().make_token("search_content", corpus_of(site).reader.generation, {}, 3),
    ):
        with pytest.raises(ContinuationGone):
            ask(site, continuation_token=wrong)
    with pytest.raises(ContinuationGone, match="belongs to find"):
        ask(site, continuation_token=WORDS.make_token("find", corpus_of(site).reader.generation, "", 3))
    with pytest.raises(InvalidRequest, match="other concepts or terms"):
        ask(site, continuation_token=token, exact_terms=("other",))
    other = make_site(tmp_path, DOCS)
    token = ask(other, exact_terms=("the",), limit=1).continuation.next_token
    chunk = ask(other, exact_terms=("lead",)).data.results[0].chunk_id
    assert corpus_of(other).record_of(chunk).page.url == "/docs-old/battery"
    other.publish([replace(DOCS[4], text="Older robots have none.")])
    with pytest.raises(ContinuationGone, match="generation"):
        ask(other, continuation_token=token)
    with pytest.raises(ChunkGone):
        corpus_of(other).record_of(chunk)


TYPED = (InvalidRequest, ContinuationGone)
LISTS = st.lists(st.text(max_size=20), max_size=4).map(tuple)


@given(LISTS, LISTS, st.integers(-5, 60), st.one_of(st.none(), st.integers(-5, 200_000)), st.text(max_size=20))
def test_any_request_gets_an_answer_or_a_documented_error(
    site: Site, concepts: tuple[str, ...], terms: tuple[str, ...], limit: int, max_tokens: int | None, token: str
) -> None:
    query = ContentQuery(concepts, terms, limit, max_tokens, token)
    with suppress(*TYPED):
        ContentSearch(WORDS, lambda: NOW).search(corpus_of(site), query)


def test_hints_name_calls_that_work(site: Site) -> None:
    answer = ask(site, semantic_concepts=("battery",), limit=2)
    assert all('folder_id="site"' in action for action in answer.navigation_hints.next_actions)
    assert any("continuation_token=" in action for action in answer.navigation_hints.next_actions)
    assert "battery" in answer.data.statistics.search_interpretation


def test_the_limit_alone_decides_how_many_come_back(tmp_path: Path) -> None:
    """However long the passages are; a budget counts only where it is given (spec 16.6)."""
    long = "Sails of canvas are mended with waxed thread. " * 60
    site = make_site(tmp_path, [Piece(f"/sails/{n}", f"{long} {n}") for n in range(40)])
    every = ask(site, exact_terms=("canvas",), limit=50)
    assert len(every.data.results) == every.data.statistics.total_results == 40
    assert every.data.statistics.tokens > 20_000
    assert not every.continuation.truncated
    some = ask(site, exact_terms=("canvas",), limit=50, max_tokens=2_000)
    assert some.continuation.truncated
    assert 0 < len(some.data.results) < 5
    rest = ask(site, continuation_token=some.continuation.next_token)
    assert 0 < len(rest.data.results) < 5  # the budget goes on with the token
    with pytest.raises(InvalidRequest):
        ask(site, exact_terms=("canvas",), limit=51)
