"""Spellings that documents may use for the words of a query."""

import pytest

from searchsocket.text.variants import variants_of
from searchsocket.text.words import MAX_QUERY_WORDS, index_words


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("v5.3.1", "5.3.1"),
        ("5.3.1", "v5.3.1"),
        ("V2", "2"),
        ("node 18", "Node v18"),
        ("8443", "8,443"),
        ("8443", "8 443"),
        ("8443", "8.443"),
        ("8443", "8'443"),
        ("8,443", "8443"),
        ("8.443", "8,443"),
        ("8 443", "8443"),
        ("1,000,000", "1000000"),
        ("python3.11", "Python 3.11"),
        ("python 3.11", "python3.11"),
        ("10mb", "10 MB"),
        ("10 mb", "10MB"),
        ("80070005", "0x80070005"),
        ("0x80070005", "80070005"),
        ("aendern", "ändern"),
        ("groesse", "Größe"),
        ("steuerloeschen", "Steuerlöschen"),
        ("log in", "login"),
        ("log-in", "login"),
        ("log_in", "login"),
        ("set-up", "How to set up a boat"),
        ("drop downs", "dropdown"),
    ],
)
def test_a_word_has_the_spellings_that_documents_use(query: str, text: str) -> None:
    forms = index_words(text)
    spellings = [(word,) for word in index_words(query)]
    spellings += [forms for own in variants_of(query).values() for forms in own]
    assert any(all(form in forms for form in spelled) for spelled in spellings)


@pytest.mark.parametrize("query", ["toe", "install", "useState", "=>", "日本語", ""])
def test_other_words_have_one_spelling(query: str) -> None:
    assert not variants_of(query)


def test_the_number_of_spellings_is_bounded() -> None:
    """A hostile query of digraphs and digits costs no more than a few spellings per word."""
    for text in (
        "aeoeue" * 12,
        "1 " * 500,
        "1 000 " * 300,
        "123 " * 400,
        "9" * 64,
        " ".join(f"a{n}" for n in range(99)),
    ):
        assert sum(map(len, variants_of(text).values())) <= 16 * MAX_QUERY_WORDS
