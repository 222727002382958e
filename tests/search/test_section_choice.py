"""A result opens at the section that is about the question, not at the one that repeats its words most."""

from dataclasses import replace
from pathlib import Path

import pytest
from search_site import MAIN, Piece, make_site

from searchsocket.search.answer import Result
from searchsocket.search.query import SearchQuery
from searchsocket.search.quoting.passage import SectionScorer
from tests.counted_calls import calls

USERS = [
    Piece("/auth", "A custom user and its forms: each model of a user needs create and change forms for a custom user "
          "model.", title="Customizing", section="Custom users and the built-in forms", ordinal=1),
    Piece("/auth", "Name the class in the settings before the first migration. Then a custom user model replaces what "
          "comes with the framework, and everything that refers to it follows.",
          title="Customizing", section="Creating a custom user model", ordinal=2),
    Piece("/auth", "Sessions last two weeks.", title="Customizing", section="Sessions", ordinal=3),
]  # fmt: skip


def best(root: Path, pieces: list[Piece], q: str, **options: object) -> Result:
    return make_site(root, pieces).engine.search(SearchQuery(q, **options), MAIN).results[0]  # type: ignore[arg-type]


def test_the_heading_that_says_the_question_opens(tmp_path: Path) -> None:
    answer = best(tmp_path, USERS, "create the custom user model of a site", explain=True)
    first, second = answer.sections[:2]
    assert second.score > first.score  # so the other one has more of the words
    assert (answer.anchor, answer.section_title) == ("creating-a-custom-user-model", "Creating a custom user model")
    assert (answer.ref, answer.href) == (first.ref, first.href)
    assert answer.heading_path == ("Creating a custom user model",)
    assert "first migration" in answer.snippet
    assert answer.score > 0.9  # of the page, whichever section opens


def test_chunks_stay_where_they_rank(tmp_path: Path) -> None:
    q = SearchQuery("create the custom user model of a site", group_by="chunk")
    results = make_site(tmp_path, USERS).engine.search(q, MAIN).results
    assert results[0].anchor == "custom-users-and-the-built-in-forms"


@pytest.mark.parametrize(
    ("q", "heading", "share"),
    [
        ("hydration mismatch", "Hydration Mismatches", 1.0),
        ("hydration mismatch", "Suppressing hydration mismatches", 2 / 3),
        ("what is hydration", "8.14.3. What is hydration?", 1.0),  # numbers and stop words say nothing
        ("a_b vs c_d", "a_b()", 1 / 3),
        ("prefetch_related", "Prefetch() objects", 0.0),  # a part is another word
        ("?", "Hydration", 0.0),
        ("hydration", "", 0.0),
        ("検索", "検索", 1.0),
    ],
)
def test_a_heading_is_about_what_it_shares(q: str, heading: str, share: float) -> None:
    assert SectionScorer(q).about(heading) == pytest.approx(share)


def test_of_like_headings_the_passage_that_says_more_wins() -> None:
    scorer = SectionScorer("difference between json and jsonb")
    assert scorer.section_score(0.80, "JSON Types", {"difference", "json", "jsonb"}) > scorer.section_score(
        0.80, "JSON Input", {"json"}
    )


def test_sections_that_need_no_snippet_are_not_quoted(tmp_path: Path) -> None:
    """But where several small ones are one chunk: there the passage says at which of them it opens."""
    text = "Ropes hold.\n\n## Knots {#knots}\n\nA knot of rope slips where it is wet.\n\n## Wet {#wet}\n\nDry the rope."
    pieces = [
        Piece("/a", f"{'Rope of hemp. ' * number}", "A", f"Part {number}", ordinal=number) for number in (1, 2, 3)
    ]
    pieces += [Piece("/b", text, "B", "Ropes"), Piece("/b", "Rope again.", "B", "More", ordinal=1)]
    engine = make_site(tmp_path, pieces).engine
    full, short = (SearchQuery("wet knot of rope", section_snippets=on) for on in (True, False))
    expected = [
        replace(
            result, sections=tuple(replace(item, snippet="", snippet_html="", marks=()) for item in result.sections)
        )
        for result in engine.search(full, MAIN).results
    ]
    results = engine.search(short, MAIN).results
    assert list(results) == expected
    assert {section.anchor for result in results for section in result.sections} & {"knots", "wet"}
    assert calls(lambda: engine.search(short, MAIN)) < calls(lambda: engine.search(full, MAIN))
