"""Questions about something else are refused or doubted, although the site has some of their words."""

import shutil
from pathlib import Path

import pytest
from search_site import MAIN, Piece, make_site

from bench.static_export.ranker import ask
from searchsocket.extensions.export.files import export_generation
from searchsocket.search import result_confidence
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.answerable import DOUBTED, FEATURES, REFUSED, WEIGHTS, answer_features, answer_score
from searchsocket.search.ranking.confidence import WEAK
from searchsocket.search.ranking.weights import EXPORT_ANSWER
from searchsocket.stores.base.index_reader import WordEvidence

WHOLE = WordEvidence(1.0, 3, 1.0, 3)
PARTIAL = WordEvidence(0.5, 2, 2 / 3, 3, ("swift",))
TOPICS = ("router", "reducer", "layout", "cookie", "stream", "worker", "plugin", "bundle", "locale", "schema")
PAGES = [
    Piece(
        f"/{topic}/{n}",
        f"The {topic} makes a request. Part {n} of the {topic} says when {topic}{n} is called, and how.",
        title=f"{topic.capitalize()} part {n}",
    )
    for topic in TOPICS
    for n in range(4)
]


def score(
    evidence: WordEvidence, near: float = 2.0, passage: float = 0.1, names: float = 0.0, exact: float = 0.0
) -> float:
    return answer_score(answer_features(evidence, 0.5 if evidence.missing else 0.0, near, passage, names, exact))


@pytest.mark.parametrize(("q", "quality"), [("router request", "answered"), ("how to cook a plugin", "weak")])
def test_explain_gives_the_parts_that_decide(tmp_path: Path, q: str, quality: str) -> None:
    answer = make_site(tmp_path, PAGES).engine.search(SearchQuery(q, explain=True), MAIN)
    model = answer.answer_model
    assert model
    assert [feature.name for feature in model.features] == list(FEATURES)
    assert sum(feature.part for feature in model.features) == pytest.approx(model.log_odds, abs=1e-5)
    assert answer.quality == quality
    assert (model.log_odds >= model.weak_below) == (quality == "answered")


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine: apt-get install nodejs")
def test_an_export_has_a_model_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no vectors. A query of which a page has all words is never rejected."""
    assert set(EXPORT_ANSWER["weights"]) == set(FEATURES) - {"nearness", "missing", "missing_rarity"}
    monkeypatch.setitem(EXPORT_ANSWER, "refused_below", 20.0)
    monkeypatch.setitem(EXPORT_ANSWER, "doubted_below", 20.0)
    site = make_site(tmp_path / "site", PAGES)
    export_generation(site.store.reader(MAIN), site.settings, tmp_path / "export")
    expected = {"router request": "weak", "Router part 2": "weak", "plugin makes a request cookie2": "rejected"}
    answers = ask(tmp_path / "export", {q: {"q": q, "explain": True} for q in expected})
    assert {q: answer["quality"] for q, answer in answers.items()} == expected
    assert all(result["confidence"] < WEAK for result in answers["router request"]["results"])
    model = answers["router request"]["answerModel"]
    assert sum(feature["part"] for feature in model["features"]) == pytest.approx(model["logOdds"])


def test_evidence_makes_an_answer_likely() -> None:
    assert score(WHOLE, names=0.2) > DOUBTED > REFUSED
    assert score(WHOLE) > score(PARTIAL)
    assert score(PARTIAL, near=0.0, passage=0.0) < REFUSED
    for better in ({"near": 3.0}, {"passage": 0.3}, {"names": 0.3}, {"exact": 1.1}):
        assert score(PARTIAL, **better) > score(PARTIAL)


def test_an_exact_match_counts_once() -> None:
    """A whole title is worth more in the order than as evidence."""
    assert score(PARTIAL, exact=4.4) == score(PARTIAL, exact=1.0)
    assert score(PARTIAL, near=99.0) == score(PARTIAL, near=4.0)


def test_every_feature_has_a_weight() -> None:
    assert all(weight != 0.0 for weight in WEIGHTS)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> SearchEngine:
    return make_site(tmp_path_factory.mktemp("index"), PAGES).engine


@pytest.mark.parametrize(
    ("log_odds", "expected"), [(REFUSED - 0.1, "rejected"), (DOUBTED - 0.1, "weak"), (DOUBTED + 0.1, "answered")]
)
def test_odds_decide_whether_results_are_given(
    engine: SearchEngine, monkeypatch: pytest.MonkeyPatch, log_odds: float, expected: str
) -> None:
    monkeypatch.setattr(result_confidence, "answer_score", lambda _: log_odds)
    query = SearchQuery("reducer part 2 of routers and layout")  # that no page has together
    answer = engine.search(query, MAIN)
    assert answer.quality == expected
    assert bool(answer.results) == bool(answer.total) == (expected != "rejected")
    assert all((result.confidence < WEAK) == (expected == "weak") for result in answer.results[:1])


@pytest.mark.parametrize(
    "query",
    [
        SearchQuery("called says when request"),  # words that one page has together
        SearchQuery("reducer part 2 of routers and layout", path_prefix="/reducer"),  # a filter makes no nonsense
        SearchQuery("reducer part 2 of routers and layout", group_by="chunk"),  # names are of pages
    ],
)
def test_some_queries_are_never_refused(
    engine: SearchEngine, monkeypatch: pytest.MonkeyPatch, query: SearchQuery
) -> None:
    monkeypatch.setattr(result_confidence, "answer_score", lambda _: REFUSED - 9)
    assert engine.search(query, MAIN).results
