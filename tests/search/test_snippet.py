"""The passage that is shown, and its marks."""

import re
import unicodedata
from html import escape, unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.content.markdown.chunk_text import fold, joined
from searchsocket.content.markdown.lines import Line
from searchsocket.search.quoting.marks import QueryWords
from searchsocket.search.quoting.passage import beginning, window
from searchsocket.search.quoting.results import Snippet, excerpt
from searchsocket.text.hidden import without_hidden
from searchsocket.text.synonyms import make_synonyms

TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab <>&\"'.\n -_é\u0301\u200d\U0001f468\U0001f469\U0001f3fd\U0001f1e9\U0001f1ea検索שלםa"),
        st.characters(blacklist_categories=("Cs",)),
    ),
    max_size=600,
)


def quoted(text: str, q: str, max_chars: int = 240) -> Snippet:
    text = fold(text)
    full_text = joined(Line("p", line) for line in text.split("\n"))
    marks = QueryWords(q).marks(text)
    return excerpt(full_text, marks, window(full_text, marks, max_chars, beginning(full_text, marks, max_chars)))


@given(TEXTS, st.text(" \n\t\r\x0b\x1c\x85\u2028\xa0a"))
def test_white_space_is_folded_run_by_run(text: str, blanks: str) -> None:
    """A run that holds a line break is one, any other a space; none is left at the ends."""
    for given_text in (text, blanks):
        expected = re.sub(r"\s+", lambda run: "\n" if "\n" in run[0] else " ", given_text).strip()
        assert fold(given_text) == expected
        assert fold(expected) == expected


@given(TEXTS, TEXTS, st.integers(20, 300))
def test_a_snippet_is_a_piece_of_the_text_with_marks_inside(text: str, q: str, max_chars: int) -> None:
    """Nothing is invented, nothing is longer than allowed, marks are apart and in bounds."""
    snippet_text = quoted(text, q, max_chars)
    visible_text = without_hidden(snippet_text.text.strip("…"))
    assert visible_text in without_hidden(fold(text)).replace("\n", " ")
    assert len(snippet_text.text) <= max_chars + 2
    ends = [0]
    for start, end in snippet_text.marks:
        assert ends[-1] <= start < end <= len(snippet_text.text)
        ends.append(end)


@given(TEXTS, TEXTS)
def test_html_holds_no_markup_but_marks(text: str, q: str) -> None:
    """A page or query that holds tags cannot put one into a page that shows results (spec 24)."""
    snippet_text = quoted(text, q)
    bare = snippet_text.html.replace("<mark>", "").replace("</mark>", "")
    assert not set(bare) & set("<>\"'")
    assert unescape(bare) == snippet_text.text
    assert snippet_text.html.count("<mark>") == snippet_text.html.count("</mark>") == len(snippet_text.marks)


@given(TEXTS, st.lists(st.integers(0, 600), max_size=12))
def test_html_is_each_character_escaped(text: str, cuts: list[int]) -> None:
    """Wherever the marks stand, touching ones and the ends of the text included."""
    places = sorted({cut for cut in cuts if cut <= len(text)})
    marks = tuple(zip(places[::2], places[1::2], strict=False))
    expected = ""
    for at, char in enumerate(text):
        expected += "</mark>" * any(end == at for _, end in marks) + "<mark>" * any(start == at for start, _ in marks)
        expected += escape(char)
    expected += "</mark>" * any(end == len(text) for _, end in marks)
    assert Snippet(text, marks).html == expected


@given(
    st.lists(
        st.sampled_from(["word", "naïve", "e\u0301te\u0301", "👩\u200d🚀", "🇩🇪", "👍🏽"]), min_size=80, max_size=150
    ),
    st.integers(30, 90),
)
def test_no_word_and_no_grapheme_is_cut(words: list[str], max_chars: int) -> None:
    """Failure mode 68: cut between words, never inside what is seen as one character."""
    snippet_text = quoted(" ".join(words), "nothing", max_chars)
    assert snippet_text.text.endswith("…")
    assert set(snippet_text.text.rstrip("…").split()) <= set(words)


@given(st.integers(200, 400))
def test_text_without_spaces_is_cut_between_graphemes(length: int) -> None:
    snippet_text = quoted("👩\u200d🚀" * length, "x", 100)
    assert snippet_text.text.strip("…").count("👩") == snippet_text.text.count("🚀")


@pytest.mark.parametrize(
    ("text", "q", "marked"),
    [
        ("Installing is easy.", "install", ["Installing"]),
        ("It installs; install it.", "installation", ["installs", "install"]),
        ("Run it with --dry-run first, or C++ code.", "--dry-run C++", ["--dry-run", "C++"]),
        ("Make a run that is dry.", "--dry-run", ["run", "dry"]),
        ("Call useState(0) now.", "usestate", ["useState"]),
        ("Use $state.raw for that.", "$state.raw", ["$state.raw"]),
        ("A well-known place.", "known", ["known"]),
        ("Zum Café gehen.", "cafe", ["Café"]),
        ("全文検索エンジンを使う。", "検索", ["検索"]),
        ("The configuration file.", "the config", ["configuration"]),
        ("The state of the art.", "the state", ["state"]),
        ("To be or not.", "to be", ["To", "be"]),
        ("شرح البحث هنا", "البحث", ["البحث"]),
        ("No match here.", "zebra", []),
        ("statement", "state", ["statement"]),
    ],
)
def test_query_words_are_marked_as_the_index_knows_them(text: str, q: str, marked: list[str]) -> None:
    snippet_text = quoted(text, q)
    assert [snippet_text.text[start:end] for start, end in snippet_text.marks] == marked


@pytest.mark.parametrize(
    ("text", "q", "marked"),
    [
        ("Deploy to Kubernetes.", "k8s", ["Kubernetes"]),
        ("Removing a file deletes it.", "delete", ["Removing", "deletes"]),
        ("Signing in takes a while; the signal in the log says so.", "login", ["Signing in"]),
        ("The login page.", "sign in", ["login"]),
        ("Sign here.", "login", []),
    ],
)
def test_configured_synonyms_are_marked(text: str, q: str, marked: list[str]) -> None:
    synonyms = make_synonyms([["k8s", "kubernetes"], ["delete", "remove"], ["sign in", "login"]])
    assert [text[mark.start : mark.end] for mark in QueryWords(q, synonyms).marks(text)] == marked


def test_the_passage_with_most_query_words_is_shown() -> None:
    text = (
        "Battery news. " + "Nothing here at all. " * 40 + "To charge the battery, use the dock. " + "More text. " * 40
    )
    snippet_text = quoted(text, "charge battery dock")
    assert "To charge the battery, use the dock." in snippet_text.text
    assert snippet_text.text.startswith("To charge")  # a sentence is no cut


def test_the_passage_begins_at_a_sentence_where_one_is_near() -> None:
    text = "Filler text goes here. " * 30 + "Now we come to the zebra. " + "And more text follows. " * 30
    assert quoted(text, "zebra").text.startswith("Now we come to the zebra.")


def test_white_space_is_folded() -> None:
    assert quoted("a\n\n b\t c", "x").text == "a b c"


def test_a_word_cut_short_by_the_limit_stays_whole() -> None:
    text = "alpha " * 60
    for max_chars in range(20, 60):
        words = re.findall(r"\w+", quoted(text, "zebra", max_chars).text)
        assert set(words) == {"alpha"}


def test_letters_with_combining_marks_are_found() -> None:
    text = unicodedata.normalize("NFD", "Das Café am See")
    assert quoted(text, "café").marks


def test_a_long_text_without_end_costs_little() -> None:
    """10,000 matches and 100,000 combining marks: linear."""
    assert quoted("ab " * 100_000, "ab").marks
    assert quoted("a" + "\u0301" * 100_000, "zebra").text
    assert quoted("x" * 1_000_000, "zebra").text
