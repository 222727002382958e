"""The language of each page of a site, and which pages are translations of one another."""

import pytest

from searchsocket.web.languages import Alternates, LanguagePage, page_languages


def languages(*urls: str) -> dict[str, str]:
    """The pages with a language, of a site whose pages state none."""
    site_languages = page_languages([LanguagePage(url) for url in urls])
    return {url: one.language for url, one in site_languages.items() if one.language}


def originals(*pages: LanguagePage) -> dict[str, str]:
    return {url: one.original for url, one in page_languages(pages).items() if one.original}


def test_two_folders_of_languages_are_languages() -> None:
    assert languages("/", "/about", "/de", "/de/ueber", "/ja", "/ja/about") == {
        "/de": "de",
        "/de/ueber": "de",
        "/ja": "ja",
        "/ja/about": "ja",
    }


def test_a_folder_below_the_first_one_and_a_region_count() -> None:
    assert languages("/docs/a", "/docs/de/a", "/docs/pt-br/a", "/docs/zh_tw/a", "/docs/zh-hans/a") == {
        "/docs/de/a": "de",
        "/docs/pt-br/a": "pt-BR",
        "/docs/zh_tw/a": "zh-TW",
        "/docs/zh-hans/a": "zh-Hans",
    }


def test_one_folder_counts_if_its_pages_exist_outside_it() -> None:
    assert languages("/", "/a", "/b", "/de", "/de/a") == {"/de": "de", "/de/a": "de"}
    assert languages("/", "/x", "/y", "/de", "/de/a", "/de/b", "/de/c") == {}


@pytest.mark.parametrize("name", ["go", "is", "no", "it", "id", "cs", "ts", "my"])
def test_a_name_with_another_meaning_alone_is_no_language(name: str) -> None:
    """Not even if its pages exist elsewhere: `/ts/install` is about TypeScript."""
    assert languages("/", "/install", "/usage", f"/{name}", f"/{name}/install", f"/{name}/usage") == {}
    assert languages("/docs/install", "/docs/cs/install", "/docs/ts/install", f"/docs/{name}/install") == {}


def test_such_a_name_counts_beside_languages_with_the_same_pages() -> None:
    assert set(languages("/a", "/de/a", "/fr/a", "/it/a", "/id/other", "/go/a").values()) == {"de", "fr", "it"}


def test_a_page_that_states_its_language_shows_what_the_folder_is() -> None:
    pages = [LanguagePage("/it/a", "it-IT"), LanguagePage("/it/b"), LanguagePage("/x")]
    assert page_languages(pages)["/it/b"].language == "it"


def test_the_stated_language_comes_first() -> None:
    """A folder whose pages say that they are in another language is none."""
    pages = [LanguagePage(f"/{name}/a", "en") for name in ("de", "fr")] + [LanguagePage("/de/b")]
    assert {language.language for language in page_languages(pages).values()} == {"en", ""}
    alternates = Alternates("fr", "group", False)
    assert page_languages([LanguagePage("/a", "en", alternates), LanguagePage("/b", "", alternates)]) == {
        "/a": ("en", "/a"),
        "/b": ("fr", "/a"),
    }


def test_translations_name_the_page_outside_the_folders() -> None:
    pages = [LanguagePage(url) for url in ("/", "/a", "/only", "/de", "/de/a", "/ja/a", "/ja/b")]
    assert originals(*pages) == {"/": "/", "/de": "/", "/a": "/a", "/de/a": "/a", "/ja/a": "/a"}


def test_without_such_a_page_the_language_with_most_pages_is_the_default() -> None:
    pages = [LanguagePage(url) for url in ("/de/a", "/en/a", "/en/b", "/en/c", "/fr/a")]
    assert originals(*pages) == dict.fromkeys(("/de/a", "/en/a", "/fr/a"), "/en/a")


def test_hreflang_joins_pages_at_other_paths_and_names_the_default() -> None:
    group = [
        LanguagePage("/about", "", Alternates("en", "g", False)),
        LanguagePage("/de/ueber", "", Alternates("de", "g", True)),
    ]
    assert originals(*group) == dict.fromkeys(("/about", "/de/ueber"), "/de/ueber")


def test_many_folders_take_linear_work() -> None:
    """Every page looks at the first segments of its own URL only."""
    deep = "/de" * 5_000
    languages_found = page_languages([LanguagePage(f"{deep}/{number}") for number in range(2_000)])
    assert len(languages_found) == 2_000
