"""Further words that match a word of a query."""

from hypothesis import given, settings
from hypothesis import strategies as st

from searchsocket.text.synonyms import NO_SYNONYMS, make_synonyms
from searchsocket.text.words import parse_query


def others(groups: list[list[str]], q: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    return make_synonyms(groups).of(parse_query(q).order)


def test_each_word_has_the_stems_of_the_others() -> None:
    groups = [["Delete", "removing", "take away"]]
    assert others(groups, "how to delete it") == {"delete": (("remov",), ("take", "away"))}
    assert others(groups, "take away") == dict.fromkeys(("take", "away"), (("delet",), ("remov",)))
    assert others(groups, "taken far away") == {}


def test_identifiers_are_kept_whole() -> None:
    groups = [["--dry-run", "simulation"], ["C++", "cpp"]]
    assert others(groups, "simulation cpp") == {"simulation": (("--dry-run",),), "cpp": (("c++",),)}
    assert others(groups, "--dry-run c++") == {"--dry-run": (("simul",),), "c++": (("cpp",),)}


def test_a_word_of_many_groups_has_a_bounded_number_of_others() -> None:
    groups = [["word", *(f"other{n}x{m}" for m in range(19))] for n in range(100)]
    assert len(others(groups, "word")["word"]) == 40


def test_words_are_not_expanded_without_groups() -> None:
    assert NO_SYNONYMS.of(parse_query("delete it").order) == {}
    assert others([["same", "Same"], ["?", "word"]], "same word") == {}


@settings(max_examples=50)
@given(groups=st.lists(st.lists(st.text(max_size=20), min_size=2, max_size=4), max_size=5), q=st.text(max_size=60))
def test_any_text_is_taken(groups: list[list[str]], q: str) -> None:
    result = others(groups, q)
    assert all(forms and all(forms) for several in result.values() for forms in several)
