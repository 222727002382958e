"""`llms.txt` and `llms-full.txt` as texts: their form, and how many pages share one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.content.pages import Page
from searchsocket.extensions.llms.index import (
    MAX_LINKS,
    AgentSite,
    ListedPage,
    entry_of,
    full_files,
    index_files,
    markdown_name,
    render_markdown,
)
from searchsocket.types import PageFacts
from searchsocket.web.urls.paths import canonical_path
from tests.extensions.llms.llms_txt_parser import parse_llms_txt

SITE = AgentSite("Fjord museum", "Boats and tides.", "https://fjord.example", "", "/api/search", "/mcp")
SEGMENT = st.text(min_size=1, max_size=12).filter(lambda text: text.strip(". ") and "\x00" not in text)
PATHS = st.lists(SEGMENT, max_size=4).map("/".join).map(canonical_path)


def entries(*urls: str, size: int = 100) -> list[ListedPage]:
    return [ListedPage(url, f"Page {url}", "", size) for url in sorted(urls)]


def test_the_list_names_site_search_mcp_and_every_page_by_folder() -> None:
    listed = entries("/", "/about", "/docs", "/docs/install", "/blog/a", "/blog/b")
    lists = parse_llms_txt(dict(index_files(SITE, listed))["llms.txt"])
    assert (lists.title, lists.summary) == ("Fjord museum", "Boats and tides.")
    assert "GET /api/search?q=" in lists.info[1]
    assert lists.info[2].endswith(": /mcp")
    assert list(lists.sections) == ["Pages", "Blog", "Page /docs", "Optional"]
    assert set(lists.sections["Page /docs"]) == {f"https://fjord.example/docs{name}.md" for name in ("", "/install")}
    assert list(lists.sections["Optional"]) == ["https://fjord.example/llms-full.txt"]


@given(st.lists(PATHS, unique=True, max_size=8), st.text(max_size=40), st.text(max_size=300))
def test_a_list_of_any_pages_can_be_parsed(urls: list[str], title: str, description: str) -> None:
    """Brackets, line ends and headings in titles would break a list that is joined from texts."""
    pages = [Page(PageFacts(url=url, title=title, description=description), "main", "text") for url in sorted(urls)]
    listed = [entry_of(page, 4) for page in pages]
    lists = parse_llms_txt(dict(index_files(AgentSite(title or "Site", description), listed))["llms.txt"])
    assert len(lists.urls) == 1 + sum(bool(markdown_name(url)) for url in urls)


@given(PATHS)
def test_a_page_lies_beside_its_own_address_and_nowhere_else(url: str) -> None:
    """A name that leads up or is no name on disk is none; two pages never share one, but for `/` and `/index`."""
    name = markdown_name(url)
    if name:
        assert name.endswith(".md")
        assert not {"", ".", ".."} & set(name.split("/"))
        assert SITE.address(name).startswith("https://fjord.example/")
        assert canonical_path(SITE.address(name).removeprefix("https://fjord.example")) == (
            "/index.md" if url == "/" else url + ".md"
        )


def test_folders_that_are_called_alike_have_headings_of_their_own() -> None:
    listed = entries("/pages/a", "/pages/b", "/optional/a", "/optional/b", "/alone")
    lists = parse_llms_txt(dict(index_files(SITE, listed))["llms.txt"])
    assert list(lists.sections) == ["Pages", "Optional in /optional", "Pages in /pages", "Optional"]


def test_very_many_pages_are_listed_folder_by_folder() -> None:
    """A list is to be read whole: each is short, and together they name every page once."""
    listed = entries("/", *(f"/docs/{part}/{number}" for part in "abc" for number in range(300)))
    files = dict(index_files(SITE, listed))
    assert set(files) == {"llms.txt", "docs/llms.txt", *(f"docs/{part}/llms.txt" for part in "abc")}
    parsed = {name: parse_llms_txt(text) for name, text in files.items()}
    assert list(parsed["llms.txt"].sections["More lists of pages"]) == ["https://fjord.example/docs/llms.txt"]
    assert all(len(links.urls) <= MAX_LINKS for links in parsed.values())
    named = [url for links in parsed.values() for url in links.urls if url.endswith(".md")]
    assert len(named) == len(set(named)) == len(listed)


@given(st.lists(st.tuples(PATHS, st.integers(1, 500)), max_size=40, unique_by=lambda pair: pair[0]))
def test_full_texts_hold_every_page_once_and_keep_to_their_size(pages: list[tuple[str, int]]) -> None:
    listed = sorted((ListedPage(url, "Page", "", size) for url, size in pages), key=lambda entry: entry.url)
    files = list(full_files(SITE, listed, 400))
    quoted = [entry.url for file in files for entry in file.pages]
    assert sorted(quoted) == sorted(entry.url for entry in listed if entry.size <= 400)
    assert len({file.name for file in files}) == len(files)
    for file in files:
        assert sum(entry.size for entry in file.pages) <= 400
    for name in [file.name for file in files][1:]:
        assert any(SITE.address(name) in file.head for file in files), f"{name} is named nowhere"


def test_a_page_says_what_and_where_it_is_but_not_where_its_source_lies() -> None:
    facts = PageFacts(url="/docs/a", address="/docs/a/", title='A "b": c', route_file="src/routes/a/+page.svelte")
    text = render_markdown(Page(facts, "main", "Body."), SITE)
    assert text == (
        '---\ntitle: "A \\"b\\": c"\nurl: "https://fjord.example/docs/a/"\n'
        'index: "https://fjord.example/llms.txt"\n---\n\n# A "b": c\n\nBody.\n'
    )


@pytest.mark.parametrize(
    ("description", "body", "note"),
    [
        ("How boats move.", "# Tides\n\nThe sea rises twice a day. It falls too.", "How boats move."),
        (
            "Recipes: Tides",
            "# Recipes\n\n## Tides\n\nThe sea [rises](/a) twice a day. It falls.",
            "The sea rises twice a day.",
        ),
        ("", "## Tides\n\n- a list\n\n`code` alone\n\nThe sea rises twice a day.", "The sea rises twice a day."),
        ("Tides", "# Tides\n\nSee below:\n\n- one", ""),
        ("", "", ""),
    ],
)
def test_a_page_is_described_by_a_sentence_not_by_a_heading(description: str, body: str, note: str) -> None:
    """Generators without a stated description take the first line of a page, which is often a heading."""
    page = Page(PageFacts(url="/a", title="Tides", description=description), "main", body)
    assert entry_of(page, 4).note == note
