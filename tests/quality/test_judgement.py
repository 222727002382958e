"""Golden queries judge a generation, and report ranks that changed against another one."""

from pathlib import Path

import pytest
from search_site import DOCS, MAIN, Piece, Site, make_site

from searchsocket.project.settings.features import GoldenSettings
from searchsocket.quality.gate import asks
from searchsocket.quality.golden import GoldenQuery
from searchsocket.quality.judgement import GoldenResults, ask_all, judge, measures

INSTALL = GoldenQuery("install the controller", ("/docs/install#install-the-controller",), tags=("plain",))
BATTERY = GoldenQuery("charging the battery", ("/docs/battery", "/blog/winter"), tags=("plain", "power"))
NONSENSE = GoldenQuery("qwxz vbnrtk plorf")
NO_ARCHIVE = GoldenQuery("lead battery", must_not=("/docs-old/battery",))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("site"), DOCS)


def answers_of(site: Site, *queries: GoldenQuery) -> list[GoldenResults]:
    return ask_all(queries, asks(site.engine, MAIN))


def test_places_count_once_and_sections_are_told_apart(site: Site) -> None:
    install, battery = answers_of(site, INSTALL, BATTERY)
    assert (install.rank, battery.rank) == (1, 1)
    assert set(battery.places) >= {"/docs/battery", "/blog/winter"}
    wrong_section = answers_of(site, GoldenQuery(INSTALL.query, ("/docs/install#nowhere",)))[0]
    assert wrong_section.rank == 0
    both = measures([install, wrong_section])
    assert (both.queries, both.recall, both.mrr10, both.ndcg10) == (2, 0.5, 0.5, 0.5)


def test_floors_hold(site: Site) -> None:
    replies = answers_of(site, INSTALL, GoldenQuery("driving", ("/nowhere",)))
    assert judge(replies, None, GoldenSettings()).passed
    for name, words in (("min_recall", "recall@k"), ("min_mrr", "MRR@10"), ("min_ndcg", "nDCG@10")):
        assert judge(replies, None, GoldenSettings(**{name: 0.5})).passed
        judged = judge(replies, None, GoldenSettings(**{name: 0.51}))
        assert judged.reasons == (f"{words} is 0.500, below the minimum of 0.51",)


def test_a_forbidden_page_fails_at_any_floor(site: Site) -> None:
    judged = judge(answers_of(site, INSTALL, NONSENSE, NO_ARCHIVE), None, GoldenSettings())
    assert judged.reasons == ("'lead battery' finds /docs-old/battery, which is forbidden",)
    nonsense = judge(answers_of(site, GoldenQuery("install the controller")), None, GoldenSettings())
    assert nonsense.reasons == ("'install the controller' finds /docs/install, and should find nothing",)


def test_a_drop_fails_and_says_which_query_moved_and_why(tmp_path: Path, site: Site) -> None:
    without = [piece for piece in DOCS if piece.url != "/docs/battery"]
    worse = make_site(
        tmp_path, [*without, Piece("/ads", "charging the battery, charging!", title="Charging the battery")]
    )
    golden = GoldenQuery("charging the battery", ("/docs/battery",))
    before, after = answers_of(site, INSTALL, golden), answers_of(worse, INSTALL, golden)
    judged = judge(after, before, GoldenSettings())
    assert not judged.passed
    assert judged.reasons[0] == "recall@k falls from 1.000 to 0.500, by more than 0.05"
    assert judged.reasons[-1] == "worst: 'charging the battery' (1 → not found)"
    (move,) = judged.moves
    assert (move.query, move.before, move.after, move.first) == (golden.query, 1, 0, "/ads")
    assert move.why.startswith("no longer found; /ads is first with ")
    assert judge(after, before, GoldenSettings(max_drop=0.5)).passed
    assert judge(after, after, GoldenSettings(max_drop=0)).moves == ()


def test_a_page_that_others_pass_is_explained_by_its_parts(tmp_path: Path, site: Site) -> None:
    edited = [piece for piece in DOCS if piece.url != "/docs/driving"]
    edited += [
        Piece("/docs/driving", "The app has a page for everything else.", title="Driving", section="By voice"),
        Piece("/voice", "Steering by voice: say left, right or halt.", title="Steering by voice", section="Voice"),
    ]
    golden = GoldenQuery("steering by voice", ("/docs/driving",))
    judged = judge(answers_of(make_site(tmp_path, edited), golden), answers_of(site, golden), GoldenSettings())
    (move,) = judged.moves
    assert (move.before, move.first) == (1, "/voice")
    assert move.is_worse
    assert "words" in move.why
    assert "→" in move.why
