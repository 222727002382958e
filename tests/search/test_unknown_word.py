"""Two words of which no page says one: the page about the other is a weak answer that names the unknown word."""

from pathlib import Path

import pytest
from search_site import DOCS, MAIN, Site, make_site

from searchsocket.search.answer import SearchAnswer
from searchsocket.search.query import SearchQuery


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(Path(tmp_path_factory.mktemp("unknown")), DOCS)


def search(site: Site, q: str, **query: str) -> SearchAnswer:
    return site.engine.search(SearchQuery(q, **query), MAIN)  # type: ignore[arg-type]


@pytest.mark.parametrize("unknown", ["authentication", "Zugzwang", "perestroika"])
@pytest.mark.parametrize("form", ["{} driving", "driving {}", "Driving {}?"])
def test_the_page_about_the_known_word_answers_weakly(site: Site, form: str, unknown: str) -> None:
    """Also if the unknown word is of another language, or the name of something else."""
    q = form.format(unknown)
    answer, known_answer = search(site, q), search(site, "driving")
    assert answer.q == q
    assert answer.quality == "weak"
    assert [result.url for result in answer.results] == [page.url for page in known_answer.results]
    assert answer.results[0].url == "/docs/driving"
    assert answer.results[0].confidence < 0.2
    [note] = answer.meta.notes
    assert (note.code, repr(unknown.lower()) in note.message) == ("UNKNOWN_WORD", True)


@pytest.mark.parametrize(
    "q",
    [
        "zqxvw driving",  # no word of any language
        "asdfasdf",
        "authentication halt",  # said in passing, and no page is about it
        "authentication espresso",
        "authentication espresso driving",  # two of three
        "authentication",
    ],
)
def test_nonsense_keeps_its_zero(site: Site, q: str) -> None:
    answer = search(site, q)
    assert (answer.quality, answer.total, answer.meta.notes) == ("rejected", 0, ())


def test_a_filter_that_hides_all_pages_leaves_nothing(site: Site) -> None:
    answer = search(site, "authentication driving", path_prefix="/nowhere")
    assert (answer.total, answer.meta.notes) == (0, ())


def test_both_words_known_need_no_note(site: Site) -> None:
    answer = search(site, "driving voice")
    assert (answer.quality, answer.meta.notes) == ("answered", ())
