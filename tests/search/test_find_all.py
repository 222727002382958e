"""Every occurrence of words, compared with reading every page."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from search_site import MAIN, Piece, Site, make_site

from searchsocket.content.mirror import render_page
from searchsocket.content.pages import Page
from searchsocket.errors import ContinuationGone
from searchsocket.search.occurrences import FindAnswer, FindQuery, page_text, passage_at
from searchsocket.stores.base.index_reader import PageBody
from searchsocket.types import PageFacts

WORDS = ["install", "Installing", "re-install", "café", "foo_bar", "utf8", "検索install", "a" * 40, "x", "naïve", "İst"]
MARKS = [" ", "\n", ", ", "**", "`", "\n\n", " (", ") ", "/", "1"]
LINKED = "see [the guide](/docs/hidden) and [more](/x)"


def site_of(folder: Path, texts: dict[str, str], weight: float = 1.0) -> Site:
    facts = {url: PageFacts(url=url, title=url, tags=("even",) if url[-1] in "02468" else ()) for url in texts}
    bodies = [
        PageBody(url, str(hash(text)), render_page(Page(facts[url], "main", text, generated_at="2026-01-01")))
        for url, text in texts.items()
    ]
    site = make_site(folder, [])
    pieces = [Piece(url, text, title=url, tags=facts[url].tags, weight=weight) for url, text in texts.items()]
    site.publish(pieces, bodies=bodies)
    return site


def test_a_language_that_no_page_has_is_noted(tmp_path: Path) -> None:
    """An empty answer would look like no occurrence."""
    site = site_of(tmp_path, {"/a": "lantern"})
    assert find(site, "lantern", filters=(("language", ("en",)),)).notes == ()
    missing = find(site, "lantern", filters=(("language", ("fr",)),))
    assert [(note.code, note.message) for note in missing.notes] == [
        ("LANGUAGE_NOT_INDEXED", "no page of this scope is in fr; its languages are en")
    ]


def find(site: Site, q: str, **options: object) -> FindAnswer:
    return site.engine.find(FindQuery(q, **options), MAIN)  # type: ignore[arg-type]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pieces=st.lists(st.lists(st.sampled_from(WORDS + MARKS), min_size=1, max_size=30), min_size=1, max_size=4),
    q=st.sampled_from(
        ["install", "INSTALL", "stall", "inst", "installing café", "foo_bar", "utf8", "a" * 30, "x", "naïve", "é", "st"]
    ),
    whole=st.booleans(),
    case=st.booleans(),
)
def test_occurrences_equal_those_of_a_scan(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[list[str]], q: str, whole: bool, case: bool
) -> None:
    texts = {f"/p{number}": "".join(words).strip() or "x" for number, words in enumerate(pieces)}
    site = site_of(tmp_path_factory.mktemp("site"), texts)
    written = r"\s+".join(map(re.escape, q.split()))
    pattern = rf"(?<!\w){written}(?!\w)" if whole else written
    flags = 0 if case else re.IGNORECASE
    expected = {}
    for url in texts:
        text = page_text(site.store.reader(MAIN).catalogue.page_body(url) or "")
        # Of the letters that the flag takes for others, the index knows none.
        matches = [m for m in re.finditer(pattern, text, flags) if case or m[0].lower().split() == q.lower().split()]
        if matches:
            expected[url] = len(matches)
    answer = find(site, q, whole_words=whole, match_case=case, limit=100)
    counted: dict[str, int] = {}
    for one in answer.occurrences:
        counted[one.url] = counted.get(one.url, 0) + 1
    assert answer.total == sum(expected.values())
    assert (answer.pages, list(counted)) == (len(expected), sorted(expected))
    if answer.total <= 100:
        assert counted == expected


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    texts = {f"/docs/p{n}": f"# Page\n\n## Part {{#part}}\n\nThe rope, a rope and\nRope {n}." for n in range(5)}
    return site_of(tmp_path_factory.mktemp("site"), texts | {"/other": f"No such word. {LINKED}"})


def test_an_occurrence_says_where_it_stands(site: Site) -> None:
    first, second, third = find(site, "rope", limit=3).occurrences
    assert (first.url, first.href, first.section_title, first.line) == ("/docs/p0", "/docs/p0#part", "Part", 5)
    assert (first.snippet, first.marks) == ("The rope, a rope and", ((4, 8),))
    assert (second.marks, third.line, third.snippet) == (((12, 16),), 6, "Rope 0.")


def test_a_continuation_goes_on_where_the_answer_ended(site: Site) -> None:
    every = find(site, "rope", limit=100)
    assert (every.total, every.pages, every.continuation) == (15, 5, None)
    parts, word = [], ""
    while True:
        part = find(site, "rope", limit=4, continuation=word)
        assert part.total == 15
        parts += part.occurrences
        if part.continuation is None:
            break
        word = part.continuation
    assert tuple(parts) == every.occurrences


def test_a_phrase_may_cross_lines_and_case_counts_when_asked(site: Site) -> None:
    assert find(site, "rope and rope").total == 5
    assert find(site, "Rope", match_case=True).total == 5
    assert find(site, "rop").total == 0
    assert find(site, "rop", whole_words=False).total == 15


def test_filters_come_first(site: Site) -> None:
    assert find(site, "rope", path_prefix="/docs/p1").total == 3
    assert find(site, "rope", tags=("even",)).pages == 3
    assert find(site, "rope", path_prefix="/other").total == 0


def test_the_target_of_a_link_is_no_text(site: Site) -> None:
    assert find(site, "hidden").total == 0
    assert find(site, "guide").total == 1


@pytest.mark.parametrize("word", ["nonsense", "bm9uZQ==", "WyJnIiwgMSwgIngiXQ=="])
def test_a_continuation_that_is_none_is_refused(site: Site, word: str) -> None:
    with pytest.raises(ContinuationGone, match="continuation"):
        find(site, "rope", continuation=word)


def test_a_continuation_of_another_generation_or_query_is_refused(tmp_path: Path) -> None:
    site = site_of(tmp_path, {"/a": "rope rope rope"})
    word = find(site, "rope", limit=1).continuation
    with pytest.raises(ContinuationGone, match="another query"):
        find(site, "boat", continuation=word)
    site.publish([Piece("/b", "rope", title="b")])
    with pytest.raises(ContinuationGone, match="generation"):
        find(site, "rope", limit=1, continuation=word)


def test_hidden_pages_are_not_found(tmp_path: Path) -> None:
    site = site_of(tmp_path, {"/a": "rope"}, weight=0.0)
    assert (find(site, "rope").total, find(site, "1", whole_words=False).total) == (0, 0)


def test_a_passage_is_cut_between_words() -> None:
    text = "word " * 50 + "rope" + " word" * 50
    passage = passage_at(text, 250, 254)
    assert passage.text[passage.start : passage.end] == "rope"
    assert set(passage.text.split()) == {"word", "rope"}
    assert len(passage.text) < 200
