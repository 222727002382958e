"""Golden queries as a person writes them: what a file says, and what is wrong with it."""

from pathlib import Path

import pytest

from searchsocket.errors import ConfigError, ConfigMissing
from searchsocket.quality.golden import (
    GoldenQuery,
    Proposal,
    Searched,
    as_toml,
    golden_file,
    golden_queries,
    proposals,
    read_golden,
)

FILE = """
[[query]]
query = "set a budget"
expect = ["/docs/cost#budget", "/docs/cost"]
scope = "preview-*"
tags = ["plain"]
k = 3
must_not = "/docs/old"

[[query]]
query = "qwxz vbnrtk"
"""


def write(folder: Path, text: str, name: str = "golden-queries.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_an_entry_says_what_is_expected_of_whom(tmp_path: Path) -> None:
    first, nonsense = read_golden(write(tmp_path, FILE))
    assert first == GoldenQuery(
        "set a budget", ("/docs/cost#budget", "/docs/cost"), ("preview-*",), ("plain",), 3, ("/docs/old",)
    )
    assert first.grades == {"/docs/cost#budget": 2, "/docs/cost": 1}
    assert (first.is_of("preview-7"), first.is_of("main"), nonsense.is_of("main")) == (True, False, True)
    assert (first.answers_nothing, nonsense.answers_nothing) == (False, True)


def test_a_table_says_the_same(tmp_path: Path) -> None:
    rows = "kind\tquery\ttarget\nplain\tset a budget\t/cost#budget /cost\nnonsense\tqwxz\t\n"
    assert read_golden(write(tmp_path, rows, "golden-queries.tsv")) == (
        GoldenQuery("set a budget", ("/cost#budget", "/cost"), tags=("plain",)),
        GoldenQuery("qwxz", tags=("nonsense",)),
    )


def test_the_file_is_found_or_named(tmp_path: Path) -> None:
    assert golden_queries(tmp_path, "") == ()
    table = write(tmp_path, "query\ttarget\tkind\nq\t/a\tplain\n", "golden-queries.tsv")
    assert golden_file(tmp_path, "") == table
    toml = write(tmp_path, FILE)
    assert golden_file(tmp_path, "") == toml
    assert [query.query for query in golden_queries(tmp_path, "", "main")] == ["qwxz vbnrtk"]
    with pytest.raises(ConfigMissing, match="other.toml"):
        golden_queries(tmp_path, "other.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[query]\n", "cannot be read"),
        ("[query]\nquery = 'a'\n", "two brackets"),
        ("[[question]]\nquery = 'a'\n", "unknown key 'question'"),
        ("[[query]]\nexpect = '/a'\n", "query 1 .*query: is missing"),
        ("[[query]]\nquery = 'a'\nexpect = 'docs/a'\n", "query 1 .'a'.: expect: 'docs/a' is not a page"),
        (
            "[[query]]\nquery = 'a'\nexpect = '/src/a.py'\ncorpus = 'code'\n",
            "expect: '/src/a.py' is not a source file",
        ),
        ("[[query]]\nquery = 'a'\nmust_not = 'a'\n", "must_not: 'a' is not a page of the site"),
        ("[[query]]\nquery = 'a'\ncorpus = 'docs'\n", "corpus: must be 'site' or 'code'"),
        ("[[query]]\nquery = 'a'\nk = 0\n", "k: must be 1 or more"),
        ("[[query]]\nquery = 'a'\nexpected = '/a'\n", "expected: is an unknown key"),
        ("[[query]]\nquery = 'a'\n[[query]]\nquery = 'a'\n", "query 2 .'a'. is listed twice"),
        ("query = ['a']\n", "query 1"),
    ],
)
def test_an_error_names_its_entry(tmp_path: Path, text: str, words: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=words) as caught:
        read_golden(path)
    assert str(path) in str(caught.value)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "golden-queries.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_golden(path)


def test_searches_are_proposed_as_entries_that_can_be_read_again(tmp_path: Path) -> None:
    searched = [
        Searched('a "quoted" \\ query', "main", ("/a#b", "/c")),
        Searched("known", "main", ("/a",)),
        Searched("elsewhere", "other", ("/a",)),
        Searched("nothing\x7f", "main", ()),
        Searched('a "quoted" \\ query', "main", ("/newer",)),
    ]
    proposed_queries = proposals(searched, [GoldenQuery("known")], "main")
    assert proposed_queries == [Proposal('a "quoted" \\ query', ("/newer",), ()), Proposal("nothing\x7f", (), ())]
    read = read_golden(write(tmp_path, as_toml(proposed_queries)))
    assert [(item.query, item.expect) for item in read] == [('a "quoted" \\ query', ("/newer",)), ("nothing\x7f", ())]


def test_the_same_words_may_be_asked_of_the_site_and_of_the_code(tmp_path: Path) -> None:
    both = "[[query]]\nquery = 'tides'\nexpect = '/tides'\n[[query]]\nquery = 'tides'\nexpect = 'src/a.py#high'\n"
    write(tmp_path, f"{both}corpus = 'code'\n")
    assert [query.expect for query in golden_queries(tmp_path, "", "main", "code")] == [("src/a.py#high",)]
    assert [item.expect for item in golden_queries(tmp_path, "", "main", "site")] == [("/tides",)]
    assert len(golden_queries(tmp_path, "")) == 2
