"""The words of keyword search (spec 13: exact identifiers are never lost)."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.text.words import (
    MAX_QUERY_WORDS,
    MAX_WORD_CHARS,
    index_words,
    parse_query,
    spelled_name,
    spellings,
    split_code,
)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Running runs", "run run"),
        ("useState", "usestate use state"),
        ("HTMLParser", "htmlparser html parser"),
        ("$state.raw", "$state.raw state.raw $state raw state"),
        ("--dry-run", "--dry-run dry-run dryrun dri run"),
        ("snake_case", "snake_case snakecase snake case"),
        ("__init__", "__init__ init"),
        ("+page.svelte", "+page.svelte page.svelte +page svelte page svelt"),
        ("@sveltejs/kit", "@sveltejs sveltejs sveltej kit"),
        ("C++ and C#", "c++ c and c# c"),
        ("v4 utf8 1.2.3", "v4 utf8 1.2.3"),
        ("std::vec", "std::vec std vec"),
        (".env", ".env env"),
        ("server-side", "server-side serverside server side"),
        ("don't", "dont don"),
        ("the site’s", "the site"),
        ("(see: foo.)", "see foo"),
        ("café Ñandú", "cafe nandu"),
        ("Straße ﬁn", "strass fin"),
        ("日本語", "日本 本語 語"),
        ("字", "字"),
        ("Vue入門guide", "vue 入門 門 guid"),
        ("a => b", "a => b"),
        ("--- ## | ??", "??"),
        ("می‌توانید", "ميتوانيد مي توانيد"),
        ("क़ानून", "कानून"),
        ("Привет мир", "привет мир"),
        ("المكونات مكون والمكون", "مكون مكون مكون"),
        ("خاصيات محسوبة الخاصيات المحسوبه", "خاص محسوب خاص محسوب"),
        ("أداء الاداء المُراقبة مراقبه", "اداء اداء مراقب مراقب"),
        ("شـــكر کتاب", "شكر كتاب"),
        ("שָׁלוֹם", "שלום"),
        ("हिन्दी", "हिन्दी"),
        ("- * ** | ? !", ""),
    ],
)
def test_words_are_kept_exact_and_in_parts(written: str, words: str) -> None:
    assert index_words(written) == words.split()


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ("useState", "usestate"),
        ("useState", "useState"),
        ("$state.raw()", "$state.raw"),
        ("`--dry-run`", "--dry-run"),
        ("snake_case", "snakecase"),
        ("e-mail", "email"),
        ("use-state", "useState"),
        ("C++", "c++"),
        ("Café", "cafe"),
        ("cafe", "CAFÉ"),
        ("ｆｕｌｌ", "full"),
        ("naïve", "naive"),
        ("日本語の本", "日本語"),
        ("loading", "loads"),
        ("+page.server.ts", "+page.server.ts"),
        ("۱۲۳۴۵", "12345"),
        ("12345", "١٢٣٤٥"),
        ("१२३", "123"),
        ("col·lecció", "colleccio"),
        ("ahoy ⚓️ sailor", "⚓"),
    ],
)
def test_a_literal_copy_shares_a_word_with_its_text(stored: str, typed: str) -> None:
    stored_words = set(index_words(stored))
    (first, *_) = parse_query(typed).words
    assert stored_words & {first.exact, first.stem}


def test_a_query_knows_stop_words_phrases_and_its_open_end() -> None:
    parsed = parse_query('how to "load page data" with useSt')
    assert [word.exact for word in parsed.words if not word.is_stop] == ["load", "page", "data", "usest"]
    assert [word.exact for word in parsed.words if word.is_stop] == ["how", "to", "with"]
    assert parsed.phrases == (("load", "page", "data"),)
    assert parsed.open_ended
    assert not parse_query("load page ").open_ended
    assert not parse_query('"load page"').open_ended
    assert not parse_query("").open_ended


def test_words_of_a_query_are_distinct_and_bounded() -> None:
    assert [word.exact for word in parse_query("load LOAD Load").words] == ["load"]
    assert len(parse_query(" ".join(f"w{n}x" for n in range(5000))).words) == MAX_QUERY_WORDS


def test_code_is_told_from_prose() -> None:
    page = (
        '# Start {#start}\n\nSee [the guide](/guide "Guide") and snake\\_case.\n\n```js\n'
        "let a = `b`;\n```\n\n- ~~~~\n  ~~~\n  x\n  ~~~~\n\nEnd"
    )
    prose, code = split_code(page)
    assert prose.split() == ["#", "Start", "See", "[the", "guide]", "and", "snake_case.", "End"]
    assert code.split("\n") == ["let a = `b`;", "  ~~~", "  x"]


def test_an_open_fence_reaches_the_end() -> None:
    assert split_code("a\n```\nb\n\nc") == ("a", "b\n\nc")


def test_spellings_are_words_of_letters_and_whole_identifiers() -> None:
    """The same of a text in ASCII, which takes the short way, as beside a letter that is none."""
    text = f"Use parse_URL2(x-y), don't: $state.raw a1 {'Long' * 9} {'q' * 40}_{'r' * 30} ``of`` 2x HTTPServer-side"
    assert {"parse", "url", "parse_url2", "$state.raw", "state", "httpserver-side", "httpserver", "a1", "2x"} <= set(
        spellings(text)
    )
    assert [word for word in spellings(f"é {text}") if word != "e"] == spellings(text)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Quick_Start", "quick start"),
        ("quickStart", "quick start"),
        (" quick.start ", "quick start"),
        ("/docs/quick-start", "docs quick start"),
        ("RulesOfHooks", "rules of hooks"),
        ("HTTPServer", "http server"),
        ("a@b.org", "a b org"),
        ("café_été", "cafe ete"),
        ("quick start", ""),
        ("quickstart", ""),
        ("C++", ""),
        ("日本語", ""),
        ("", ""),
        ("_", ""),
    ],
)
def test_a_query_in_one_piece_spells_a_name(query: str, name: str) -> None:
    assert spelled_name(query) == name


@given(st.text())
def test_any_text_becomes_words_without_spaces_or_capitals(text: str) -> None:
    words = index_words(text.encode("utf-8", "replace").decode())
    assert all(len(word) <= MAX_WORD_CHARS and not word[:0].isspace() for word in words)
    parse_query(text)
    split_code(text)


@given(st.text(alphabet="aBc_.-$+@#'’:1é日 \t", max_size=60))
def test_words_are_the_same_in_any_context(text: str) -> None:
    """Words do not depend on the text around them, so blocks may be cut anywhere between spaces."""
    assert index_words(f"before {text} after") == ["befor", *index_words(text), "after"]


@pytest.mark.parametrize(
    "unit",
    ["a", ' ](a "', "](()", "](a(b)", "a.", "aB", "-", "$", "日", "[](", "`", "\\", "é", "a_", "(", "```\n", "{#", "'"],
)
def test_hostile_text_costs_linear_time(unit: str) -> None:
    """A megabyte of one thing ends at all, which it would not for hours at the cost of its square."""
    text = unit * (1_000_000 // len(unit))
    assert sys.getsizeof(" ".join(index_words(text))) < 8_000_000
    split_code(text)
    parse_query(text)
    spelled_name(text)


def test_a_phrase_ends_within_a_run_without_spaces() -> None:
    """The last character alone is a form at the end of a text only: 語の follows 本語 in 日本語の文書."""
    (phrase,) = parse_query('"日本語"').phrases
    document = index_words("これは日本語の文書です。")
    assert any(tuple(document[at : at + len(phrase)]) == phrase for at in range(len(document)))
