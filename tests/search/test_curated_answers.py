"""Rules of the owner over a real index: pins, hides and boosts, within filters, permissions and paging."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from search_site import DOCS, MAIN, NOW, PROJECT, Piece, Site

from searchsocket.curation.live_rules import Curation
from searchsocket.curation.rules import FILE_NAME
from searchsocket.models.embedders.queries import NoVector, QueryVectors
from searchsocket.search.answer import SearchAnswer
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.serving.answers import to_json
from searchsocket.stores.local.store import LocalStore

MANY = [Piece(f"/log/{number}", f"Battery log {number}, charged.", title=f"Log {number}") for number in range(30)]
ORIGINAL = ("@original=/docs/driving",)
MORE = (
    Piece("/hidden", "The battery in secret.", title="Hidden", weight=0.0),
    Piece("/de/fahren", "Lenken mit der Stimme.", title="Fahren", language="de", facets=ORIGINAL),
)
SITE = [*(replace(doc, facets=ORIGINAL) if doc.url == "/docs/driving" else doc for doc in DOCS), *MORE, *MANY]

Search = Callable[..., SearchAnswer]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(LocalStore(tmp_path_factory.mktemp("site"), PROJECT))
    site.publish(SITE, aliases={"/docs/start": "/docs/install"})
    return site


@pytest.fixture
def search(site: Site, tmp_path: Path) -> Search:
    """Search with the rules of a text."""

    def answer(rules: str, q: str, *, day: datetime = NOW, **fields: object) -> SearchAnswer:
        (tmp_path / FILE_NAME).write_text(rules)
        curation = Curation(tmp_path, clock=lambda: day)
        queries = QueryVectors(lambda _: site.embedder)
        engine = SearchEngine(site.store, queries, site.settings, lambda: day, curation=curation)
        return engine.search(SearchQuery(q, **fields), MAIN)  # type: ignore[arg-type]

    return answer


def pin(query: str, *pages: str, more: str = "") -> str:
    return f"[[pin]]\nquery = {query!r}\npages = {list(pages)}\n{more}\n"


def hide(query: str, *pages: str) -> str:
    return f"[[hide]]\nquery = {query!r}\npages = {list(pages)}\n"


def urls(answer: SearchAnswer) -> list[str]:
    return [result.url for result in answer.results]


def test_pinned_pages_come_first_in_the_order_of_the_rule(search: Search) -> None:
    plain = urls(search("", "battery"))
    answer = search(pin("battery", "/docs/driving", "/blog/winter"), "Battery?")
    assert urls(answer)[:2] == ["/docs/driving", "/blog/winter"]
    assert urls(answer)[2:] == [url for url in plain if url not in ("/docs/driving", "/blog/winter")][:8]
    assert answer.quality == "answered"
    assert [result.confidence for result in answer.results[:2]] == [1.0, 1.0]
    assert answer.results[0].snippet
    assert urls(search(pin("battery", "/docs/driving"), "battery life"))[0] != "/docs/driving"


def test_a_query_that_the_site_does_not_answer_has_its_pinned_page_alone(search: Search) -> None:
    """Pins are mostly made for queries that visitors search without results."""
    assert search("", "qwxz pricing").total == 0
    answer = search(pin("*pricing*", "/docs/install"), "qwxz pricing", explain=True, sources=True)
    assert (urls(answer), answer.total, answer.quality) == (["/docs/install"], 1, "answered")
    assert answer.results[0].confidence == 1.0
    assert search(pin("*pricing*", "/docs/install"), "qwxz pricing", offset=1).results == ()


def test_paging_neither_repeats_nor_loses_a_page(search: Search) -> None:
    rules = pin("battery", "/docs/driving", "/log/29") + hide("battery", "/log/3", "/log/4")
    whole = search(rules, "battery", top_k=30)
    parts = [search(rules, "battery", top_k=5, offset=offset) for offset in (0, 5, 10)]
    assert [url for part in parts for url in urls(part)] == urls(whole)[:15]
    assert not {"/log/3", "/log/4"} & set(urls(whole))
    assert urls(whole)[:2] == ["/docs/driving", "/log/29"]


FILTERS: list[dict[str, object]] = [
    {"path_prefix": "/docs"}, {"tags": ("guide",)}, {"filters": (("language", ("de",)),)},
    {"filters": (("kind", ("summary",)),)},
]  # fmt: skip


@pytest.mark.parametrize("fields", FILTERS, ids=str)
def test_a_pin_never_passes_a_filter(search: Search, fields: dict[str, object]) -> None:
    answer = search(pin("battery", "/blog/winter"), "battery", explain=True, sources=True, **fields)
    assert "/blog/winter" not in urls(answer)
    assert answer.curation
    assert answer.curation[0].unavailable == ("/blog/winter",)


def test_a_pin_within_the_filters_stays(search: Search) -> None:
    answer = search(pin("battery", "/docs/install"), "battery", path_prefix="/docs", tags=("guide",))
    assert urls(answer)[0] == "/docs/install"


def test_a_page_that_is_gone_or_hidden_by_its_author_is_not_pinned(search: Search) -> None:
    answer = search(pin("battery", "/gone", "/hidden", "/docs/driving"), "battery", explain=True, sources=True)
    assert urls(answer)[0] == "/docs/driving"
    assert not {"/gone", "/hidden"} & set(urls(answer))
    assert answer.curation
    assert answer.curation[0].unavailable == ("/gone", "/hidden")


def test_the_home_page_and_an_earlier_address_can_be_pinned(search: Search) -> None:
    assert urls(search(pin("battery", "/", "/docs/start"), "battery"))[:2] == ["/", "/docs/install"]


def test_hidden_pages_are_in_no_answer_and_no_count(search: Search) -> None:
    plain, answer = search("", "battery", top_k=50), search(hide("*", "/log/*"), "battery", top_k=50)
    assert urls(answer) == [url for url in urls(plain) if not url.startswith("/log/")]
    assert answer.total < plain.total
    assert search(hide("*", "/*"), "battery").total == 0


def test_hiding_beats_pinning(search: Search) -> None:
    rules = pin("battery", "/docs/driving") + hide("*", "/docs/dri*")
    assert "/docs/driving" not in urls(search(rules, "battery"))


def test_hiding_most_candidates_leaves_room_for_others(search: Search) -> None:
    """Pages that match worse than what is hidden are still found."""
    answer = search(hide("*", "/log/*"), "battery", top_k=3)
    assert len(answer.results) == 3


def test_a_boost_moves_a_directory(search: Search) -> None:
    rule = "[[boost]]\npath = '/docs-old'\nfactor = {}\n"
    assert urls(search(rule.format(8), "battery"))[0] == "/docs-old/battery"
    assert urls(search(rule.format(0.1), "lead battery"))[0] != "/docs-old/battery"
    only = rule.format(8) + "query = 'lead*'\n"
    assert urls(search(only, "battery"))[0] != "/docs-old/battery"
    assert all(0 <= result.score <= 1 for result in search(rule.format(8), "battery").results)


def test_a_rule_ends_after_its_last_day(search: Search) -> None:
    rule = pin("battery", "/docs/driving", more="until = 2026-05-01")
    assert urls(search(rule, "battery"))[0] == "/docs/driving"
    assert urls(search(rule, "battery", day=datetime(2026, 5, 2, tzinfo=UTC)))[0] != "/docs/driving"


def test_chunks_are_pinned_once(search: Search) -> None:
    answer = search(pin("battery", "/docs/install"), "battery", group_by="chunk", top_k=5)
    assert urls(answer)[0] == "/docs/install"
    assert len({result.ref for result in answer.results}) == 5


def test_without_vectors_rules_are_the_same(site: Site, tmp_path: Path) -> None:
    class Away(QueryVectors):
        def vector(self, *_: object, **__: object) -> NoVector:
            return NoVector.UNAVAILABLE

    (tmp_path / FILE_NAME).write_text(pin("battery", "/docs/driving") + hide("*", "/log/*"))
    engine = SearchEngine(
        site.store, Away(lambda _: site.embedder), site.settings, lambda: NOW, curation=Curation(tmp_path)
    )
    answer = engine.search(SearchQuery("battery"), MAIN)
    assert urls(answer)[0] == "/docs/driving"
    assert not any(url.startswith("/log/") for url in urls(answer))


def test_a_pin_shows_the_visitor_s_translation(search: Search) -> None:
    answer = search(pin("battery", "/docs/driving"), "battery", prefer_language="de")
    assert urls(answer)[0] == "/de/fahren"


def test_explain_names_each_rule_for_the_trusted_alone(search: Search) -> None:
    rules = pin("battery", "/docs/driving") + hide("*", "/log/1") + "[[boost]]\npath = '/blog'\nfactor = 2.0\n"
    answer = search(rules, "battery", explain=True, top_k=50)
    assert answer.curation
    assert [(rule.rule, rule.effect, rule.pages) for rule in answer.curation] == [
        ("curation.toml:1", "pin", ("/docs/driving",)),
        ("curation.toml:5", "hide", ("/log/1",)),
        ("curation.toml:8", "boost", ("/blog/winter",)),
    ]
    assert b'"curation":[{"rule":"curation.toml:1"' in to_json(answer, sources=True)
    assert b"curation.toml" not in to_json(answer, sources=False)
    assert search(rules, "battery").curation is None
    assert b'"curation"' not in to_json(replace(answer, curation=None), sources=True)


def test_a_known_word_keeps_the_pin_of_the_whole_query(search: Search) -> None:
    """Of "installation aquarium" only one word is known; the rule is for the query as it was typed."""
    plain = search("", "installation aquarium")
    answer = search(pin("installation aquarium", "/blog/winter"), "installation aquarium")
    assert urls(answer)[0] == "/blog/winter"
    assert answer.quality == "answered"
    assert answer.results[0].confidence == 1.0
    assert [note.code for note in plain.meta.notes] == [note.code for note in answer.meta.notes] == ["UNKNOWN_WORD"]
    assert {*urls(plain)[:5]} <= {*urls(answer)}
