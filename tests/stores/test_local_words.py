"""Keyword search of the embedded index: what is typed finds what is written."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import fill, ids, random_units, record
from searchsocket.types import Filter

PAGES = {
    "state": ("/docs/state", "State", "Declare it with `$state.raw` when it is replaced, never with `$state`."),
    "hook": ("/docs/hooks", "Hooks", "Call useState inside a component; useStates is another thing."),
    "flags": ("/cli/flags", "Flags", "Pass --dry-run to see what would happen, or -v for more."),
    "names": ("/docs/names", "Names", "A snake_case name, __init__ and @app.get are kept."),
    "route": ("/docs/routing", "Routing", "Put +page.svelte beside +page.server.ts in src/routes/blog."),
    "lang": ("/blog/lang", "Languages", "From C++ and C# to v4 of this."),
    "code": ("/docs/code", "Code", "Prose.\n\n```js\nexport const handleFetch = async () => {};\n```\n"),
    "load": ("/docs/load", "Loading data", "Pages are loaded before they are rendered. Configuration is optional."),
    "data": ("/docs/data", "Other", "The data before loading is not the loading of data."),
    "cafe": ("/blog/cafe", "Café crème", "Une histoire naïve à Zürich."),
    "japan": ("/ja", "入門", "これは日本語の文書です。"),
    "link": ("/docs/link", "Link", "See [elsewhere](/secret-target/page) for more."),
}  # fmt: skip


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    records = [record(name, url, text, title=title) for name, (url, title, text) in PAGES.items()]
    records.append(record("named", "/named", "Nothing about it here.", link_texts=("the teleporter",)))
    records.append(record("section", "/section", "Text.", heading_path=("Guide", "Hydration mismatch")))
    return fill(LocalStore(tmp_path_factory.mktemp("index"), "shop"), records, random_units(len(records)))


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("$state.raw", "state"),
        ("useState", "hook"),
        ("usestate", "hook"),
        ("--dry-run", "flags"),
        ("dry run", "flags"),
        ("snake_case", "names"),
        ("snakecase", "names"),
        ("__init__", "names"),
        ("@app.get", "names"),
        ("+page.svelte", "route"),
        ("+page.server.ts", "route"),
        ("src/routes/blog", "route"),
        ("C++", "lang"),
        ("c#", "lang"),
        ("v4", "lang"),
        ("handleFetch", "code"),
        ("handle fetch", "code"),
        ("loads", "load"),
        ("cafe creme", "cafe"),
        ("CAFÉ", "cafe"),
        ("zurich", "cafe"),
        ("日本語", "japan"),
        ("文書", "japan"),
        ("入門", "japan"),
        ("teleporter", "named"),
        ("hydration", "section"),
        ("routing", "route"),
    ],
)
def test_queries_match_other_forms_of_written_words(reader: IndexReader, typed: str, first: str) -> None:
    assert ids(reader.words.search(typed, top_k=3))[:1] == [first]


@pytest.mark.parametrize("typed", ["conf", "configur", "configurati", "configuration", "confguration", "cofniguratoin"])
def test_unfinished_and_misspelt_words_are_understood(reader: IndexReader, typed: str) -> None:
    assert ids(reader.words.search(typed, top_k=3)) == ["load"]


def test_a_finished_word_is_not_completed(reader: IndexReader) -> None:
    assert ids(reader.words.search("hydr", top_k=3)) == ["section"]
    assert ids(reader.words.search("hydr ", top_k=3)) == []


def test_a_quoted_phrase_must_be_there(reader: IndexReader) -> None:
    assert ids(reader.words.search("loading data", top_k=9)) == ["load", "data"]
    assert ids(reader.words.search('"loading data"', top_k=9)) == ["load"]
    assert ids(reader.words.search('"data before loading"', top_k=9)) == ["data"]
    assert ids(reader.words.search('"data rendered"', top_k=9)) == []


def test_stop_words_do_not_match_alone_beside_others(reader: IndexReader) -> None:
    assert ids(reader.words.search("what is the zebra", top_k=9)) == []
    assert ids(reader.words.search("what would", top_k=9)) == ["flags"]


def test_link_targets_are_no_words(reader: IndexReader) -> None:
    assert ids(reader.words.search("secret-target", top_k=9)) == []


@pytest.mark.parametrize("typed", ["xqzvw", "asdfghjkl", "blockchain mortgage", "%%%", "\u202e", "🎉"])
def test_nonsense_finds_nothing(reader: IndexReader, typed: str) -> None:
    assert reader.words.search(typed, top_k=9) == []


def test_a_huge_query_is_cut_not_refused(reader: IndexReader) -> None:
    """100 KB of words is answered by its beginning; limits of the API come before."""
    assert ids(reader.words.search("useState " + "lorem ipsum " * 9000, top_k=1)) == ["hook"]
    assert reader.words.search("a" * 100_000, top_k=1, where=Filter("/docs")) == []


TOPICS = ("Slots", "Events", "Props", "Routing", "Testing", "Teleport", "Plugins", "Styles", "Forms", "Lantern build")


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    """A site about Lantern: its name is on the home page and all others but one; Routing has a longer one."""
    about = ["of Lantern", *["in Lantern"] * 8, "from the shell"]
    pages = zip(TOPICS, about, strict=True)
    records = [record("home", "/", "What it is.", title="Lantern - light for pages")]
    records += [record(f"r{n}", f"/p{n}", f"Use it {text}.", title=title) for n, (title, text) in enumerate(pages)]
    records += [record("long", "/long", "Of Lantern.", title="Lantern Routing in Depth")]
    records += [record("new", "/new", "A release of Lantern.", title="Lantern 2.1 is here")]
    return fill(LocalStore(tmp_path_factory.mktemp("product"), "shop"), records, random_units(len(records)))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("Lantern slots", "slots"),
        ("slots in Lantern", "slots"),
        ("test a Lantern plugin", "test a plugin"),
        ("lanterns with styles", "styles"),
        ("Lantern's slots", "slots"),
        ("styles of Lantern’s forms", "styles of forms"),
        ("lanternjs slots", "slots"),
        ("Lantern.js slots", "slots"),
        ("slots in lantern js", "slots"),
        ("Harbour Lantern slots", "slots"),  # its vendor's name
        ("lantern styles of forms", "styles of forms"),
        ("Lantern rout", "Lantern rout"),  # which may become "Lantern Routing in Depth"
        ("Lantern routing", "routing"),  # a longer name does not hide the shorter one
        ("Lantern 2", "v2"),
        ("lantern2 release", "v2 release"),
        ("Lantern@2.1 slots", "v2.1 slots"),
        ("release of Lantern v2.1.4", "release of v2.1.4"),
        ("Lantern build", "Lantern build"),  # a page's name
        ("how to lantern build", "how to lantern build"),
        ("lantern bui", "lantern bui"),  # which may become one
        ("what is Lantern", "what is Lantern"),
        ("Lantern", "Lantern"),
        ("Lantern 3", "Lantern 3"),
        ('"Lantern slots"', '"Lantern slots"'),
        ("use slots", "use slots"),  # a word of all pages that names nothing
    ],
)
def test_the_name_of_the_product_does_not_count_in_a_query(product: IndexReader, typed: str, expected: str) -> None:
    assert product.words.corrected(typed) == expected


@example("lantern 2.12345")
@given(st.from_regex(r"(lantern[ @]?)?v?[0-9٣.]{1,8}([-.][a-z]{0,4}[-.]?[0-9]{0,5})?( lantern)?", fullmatch=True))
def test_any_number_beside_the_name_is_a_query(product: IndexReader, text: str) -> None:
    assert product.words.corrected(text)
