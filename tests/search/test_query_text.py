"""Queries, cleaned."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import InvalidRequest
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.search.query import SearchQuery, checked, clean_text


@given(st.text(alphabet=st.characters(), max_size=1200))
def test_a_clean_query_is_clean_again_or_refused(text: str) -> None:
    try:
        clean = clean_text(text)
    except InvalidRequest:
        return
    assert clean_text(clean) == clean
    assert 1 <= len(clean) <= MAX_QUERY_CHARS
    assert clean.isprintable() or any(char in clean for char in "\u200c\u200d\u00a0") or not clean.isascii()
    assert not set(clean) & set("\x00\n\r\t\x1b\u202e\u200b\ufeff")
    assert clean.encode()


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  how  to\n\tinstall ", "how to install"),
        ("a\x00b", "a b"),
        ("\u202eevil\u202c", "evil"),
        ("re\u0301sume\u0301", "résumé"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("\ud800x", "x"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\u2003wide\u3000space", "wide space"),
    ],
)
def test_normalised_text_of_a_query(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@pytest.mark.parametrize("raw", ["", " ", "\n\x00\x1f", "\u200d\u200c", "\ufeff", "\ud800"])
def test_an_empty_query_is_refused(raw: str) -> None:
    with pytest.raises(InvalidRequest, match="empty"):
        clean_text(raw)


def test_the_limit_counts_what_is_left() -> None:
    assert len(clean_text(" " * 500 + "x" * 1000 + " " * 500)) == 1000
    with pytest.raises(InvalidRequest, match="1001"):
        clean_text("x" * 1001)
    with pytest.raises(InvalidRequest, match="100000"):
        clean_text("x " * 50_000)


def test_tags_are_trimmed_and_counted_once() -> None:
    assert checked(SearchQuery("q", tags=(" a ", "a", "b"))).tags == ("a", "b")
