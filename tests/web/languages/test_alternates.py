"""The `hreflang` links of a page."""

import pytest

from searchsocket.web.languages import MAX_ALTERNATES, NO_ALTERNATES, read_alternates

LINKS = [
    ("en", "https://example.org/guide/"),
    ("de", "https://example.org/de/guide/"),
    ("pt_BR", "https://example.org/pt-br/guia/"),
    ("x-default", "https://example.org/guide/"),
]


def test_a_page_finds_itself_among_its_translations() -> None:
    pages = [read_alternates(LINKS, url, f"{url}/") for url in ("/guide", "/de/guide", "/pt-br/guia")]
    assert [page.language for page in pages] == ["en", "de", "pt-BR"]
    assert [page.is_default for page in pages] == [True, False, False]
    assert len({page.group for page in pages}) == 1


def test_a_base_path_and_relative_links_do_not_matter() -> None:
    based = [(language, f"/project{href.removeprefix('https://example.org')}") for language, href in LINKS]
    assert read_alternates(based, "/guide", "/guide/").language == "en"
    assert read_alternates(based, "/de/guide", "/de/guide/").language == "de"
    home = [("en", "/project/"), ("de", "/project/de/")]
    assert read_alternates(home, "/", "/").language == "en"
    assert read_alternates(home, "/de", "/de/").language == "de"
    assert read_alternates([("en", "../"), ("de", "./")], "/de", "/de/").language == "de"


def test_two_tags_of_one_language_are_one() -> None:
    assert read_alternates([("en-US", "/a"), ("en", "/a"), ("de", "/de/a")], "/a", "/a").language == "en"


@pytest.mark.parametrize(
    "links",
    [
        [],
        [("en", "/"), ("de", "/de/")],  # the start pages, on every page
        [("en", "https://example.com/guide"), ("de", "https://example.de/guide")],  # hosts differ, paths do not
        [("x-default", "/guide")],
        [("<b>", "/guide"), ("e" * 99, "/guide"), ("en", "http://[::1"), ("en", "mailto:a@b")],
        [(f"e{number % 10}", "/guide") for number in range(MAX_ALTERNATES + 1)],
    ],
)
def test_other_links_say_nothing(links: list[tuple[str, str]]) -> None:
    assert read_alternates(links, "/guide", "/guide/") == NO_ALTERNATES
