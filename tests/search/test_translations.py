"""Translations of one page are one result, in the language of the visitor or of the query."""

from pathlib import Path

import pytest
from search_site import MAIN, Piece, Site, make_site

from searchsocket.errors import InvalidRequest
from searchsocket.search.answer import Result
from searchsocket.search.query import SearchQuery
from searchsocket.web.languages import can_be_in, original_label

LAMPS = (original_label("/lamps"),)
WICKS = (original_label("/wicks"),)
PIECES = [
    Piece("/lamps", "Lantern keepers light a lantern at dusk.", facets=LAMPS),
    Piece("/de/lamps", "Die Lantern brennt.", language="de", facets=LAMPS),
    Piece("/pt/lamps", "Uma lantern acesa.", language="pt-BR", facets=LAMPS),
    Piece("/ja/lamps", "ランタン lantern を点ける。", language="ja", facets=LAMPS),
    Piece("/wicks", "A wick of the lantern. Trim wicks weekly.", facets=WICKS),
    Piece("/de/wicks", "Docht der lantern.", language="de", facets=WICKS),
    Piece("/harbour", "A harbour without any lantern lamps."),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("site"), PIECES)


def search(site: Site, q: str, **options: object) -> tuple[Result, ...]:
    return site.engine.search(SearchQuery(q, **options), MAIN).results  # type: ignore[arg-type]


def urls(site: Site, q: str, **options: object) -> list[str]:
    return [result.url for result in search(site, q, **options)]


def test_the_best_translation_stands_for_all(site: Site) -> None:
    results = search(site, "lantern wick")
    languages_by_url = {result.url: result.languages for result in results}
    assert set(languages_by_url) == {"/lamps", "/wicks", "/harbour"}
    assert languages_by_url["/lamps"][0] == "en"
    assert set(languages_by_url["/lamps"]) == {"en", "de", "pt-BR", "ja"}
    assert languages_by_url["/harbour"] == ()
    assert site.engine.search(SearchQuery("lantern wick"), MAIN).total == 3


def test_the_preferred_translation_stands_where_the_best_stood(site: Site) -> None:
    """Its score and confidence are those of the place, so both fall from result to result."""
    plain, german = search(site, "lantern wick"), search(site, "lantern wick", prefer_language="de-AT")
    assert [result.url for result in plain] == ["/wicks", "/lamps", "/harbour"]
    assert [result.url for result in german] == ["/de/wicks", "/de/lamps", "/harbour"]
    assert [(result.score, result.confidence) for result in german] == [
        (result.score, result.confidence) for result in plain
    ]
    assert german[0].languages == ("de", "en")
    assert german[0].snippet == "Docht der lantern."


@pytest.mark.parametrize(
    ("q", "preferred", "url"),
    [
        ("lantern", "pt", "/pt/lamps"),
        ("lantern", "PT_br", "/pt/lamps"),
        ("lantern", "fr", "/lamps"),
        ("lantern ランタン", "", "/ja/lamps"),
        ("lantern 点", "", "/ja/lamps"),
        ("lantern ja", "", "/lamps"),  # Latin letters
        ("lantern ランタン", "fr", "/ja/lamps"),
        ("lantern ランタン", "de", "/de/lamps"),
    ],
)
def test_the_language_is_that_of_the_visitor_else_of_the_query(site: Site, q: str, preferred: str, url: str) -> None:
    urls_in_order = urls(site, q, prefer_language=preferred)
    assert url in urls_in_order
    assert sum(item.endswith("/lamps") for item in urls_in_order) == 1


def test_the_original_is_shown_if_it_matches_nearly_as_well(tmp_path: Path) -> None:
    """A name is in every translation, and the shorter page has the better score."""
    oil = (original_label("/oil"),)
    pieces = [
        Piece("/oil", "Lanterns burn oil of the best kind. Buy more.", title="Oil", facets=oil),
        Piece("/de/oil", "Lanterns brennen mit feinem Petroleum.", title="Petroleum", language="de", facets=oil),
        *(Piece(f"/page{number}", f"Nothing about it, page {number}.") for number in range(8)),
    ]
    site = make_site(tmp_path, pieces)
    both = search(site, "lanterns", filters=(("language", ("en", "de")),))
    assert [result.url for result in both[:2]] == ["/de/oil", "/oil"]
    assert both[1].score > 0.8 * both[0].score
    assert urls(site, "lanterns")[0] == "/oil"
    assert urls(site, "lanterns petroleum")[0] == "/de/oil"


def test_a_filter_by_language_decides_alone(site: Site) -> None:
    both = urls(site, "lantern", filters=(("language", ("en", "de")),), prefer_language="de")
    assert {"/lamps", "/de/lamps"} <= set(both)


def test_pages_of_results_do_not_overlap(site: Site) -> None:
    whole = urls(site, "lantern", prefer_language="de")
    parts = [urls(site, "lantern", prefer_language="de", top_k=1, offset=offset) for offset in range(4)]
    assert [url for part in parts for url in part] == whole


def test_chunks_of_other_translations_are_left_out(tmp_path: Path) -> None:
    pieces = [*PIECES, Piece("/de/lamps", "Zwei lantern.", language="de", facets=LAMPS, section="Zwei", ordinal=1)]
    urls_in_order = urls(make_site(tmp_path, pieces), "lantern", prefer_language="de", group_by="chunk")
    assert sorted(urls_in_order) == ["/de/lamps", "/de/lamps", "/de/wicks", "/harbour"]


def test_a_preference_that_is_no_language_is_refused(site: Site) -> None:
    with pytest.raises(InvalidRequest, match="preferLanguage: a language like en or pt-BR, not 'x y'"):
        search(site, "lantern", prefer_language="x y")


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("install", "en de pt-BR"),
        ("Größe über", "en de pt-BR"),
        ("設定 ファイル", "ja"),
        ("ﾌｧｲﾙ", "ja"),
        ("설정", "ko-KR"),
        ("設定", "zh_TW ja"),
        ("шрифт", "ru uk"),
        ("خط", "ar fa"),
        ("גופן", "he"),
    ],
)
def test_a_script_tells_the_languages_that_a_text_can_be_in(text: str, languages: str) -> None:
    baseline = ["en", "de", "pt-BR", "ja", "ko-KR", "zh_TW", "ru", "uk", "ar", "fa", "he"]
    assert [item for item in baseline if can_be_in(text, item)] == [
        entry for entry in baseline if entry in languages.split()
    ]
    assert not can_be_in(text, "")


def test_a_page_without_the_words_hides_no_translation_that_has_them(tmp_path: Path) -> None:
    """A name in Latin letters may be on the Chinese page only, also for a visitor who prefers German."""
    dock = (original_label("/dock"),)
    pieces = [
        Piece("/dock", "The dock opens in three steps.", title="Dock", facets=dock),
        Piece("/de/dock", "Das Dock wird ausgerollt.", title="Dock", language="de", facets=dock),
        Piece("/zh/dock", "码头使用 Zookeeper 协调。", title="码头", language="zh", facets=dock),
    ]
    site = make_site(tmp_path, pieces)
    assert urls(site, "zookeeper") == urls(site, "zookeeper", prefer_language="de") == ["/zh/dock"]
    assert urls(site, "dock", prefer_language="de") == ["/de/dock"]


def test_an_original_that_states_no_language_is_not_hidden(tmp_path: Path) -> None:
    dock = (original_label("/dock"),)
    pieces = [
        Piece("/dock", "The cluster of docks.", title="Dock", language="", facets=dock),
        Piece("/de/dock", "Das Cluster der Docks.", title="Dock", language="de", facets=dock),
    ]
    assert urls(make_site(tmp_path, pieces), "cluster") == ["/dock"]


@pytest.mark.parametrize(("text", "language"), [("ទាញយក", "km"), ("ఇన్‌స్టాల్", "te"), ("ထည့်သွင်း", "my"), ("ጫን", "am")])
def test_other_scripts_are_no_latin_letters(text: str, language: str) -> None:
    assert can_be_in(text, language)
    assert not can_be_in(text, "en")
    assert not can_be_in("install", language)
