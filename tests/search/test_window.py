"""Snippets begin and end at natural boundaries."""

import re
from bisect import bisect_right
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_site import MAIN, Piece, make_site

from searchsocket.content.markdown.chunk_text import ChunkText, chunk_text, joined
from searchsocket.content.markdown.lines import Line
from searchsocket.search.query import SearchQuery
from searchsocket.search.quoting.marks import QueryWords
from searchsocket.search.quoting.passage import Window, beginning, below_title, window
from searchsocket.search.quoting.results import Snippet, excerpt
from searchsocket.testing.store.samples import make_record

WORDS = [
    "zebra",
    "stripe",
    "defineAsyncComponent",
    "wal-index",
    "e.g. this",
    "f(x,",
    "ref<T>",
    "A",
    "grazes",
    "it.",
    "It?",
]
LINES = st.lists(
    st.tuples(st.sampled_from("hpfnltc"), st.lists(st.sampled_from(WORDS), min_size=1, max_size=60)),
    min_size=1,
    max_size=12,
)
FILLER = "Nothing of note is said here at all. " * 10


def text_of(lines: list[tuple[str, list[str]]]) -> ChunkText:
    return joined(Line(kind, " ".join(words)) for kind, words in lines)  # type: ignore[arg-type]  # a LineKind


def part_of(said: ChunkText, q: str, max_chars: int = 240) -> tuple[str, Window]:
    marks = QueryWords(q).marks(said.text)
    snippet_span = window(said, marks, max_chars, beginning(said, marks, max_chars))
    return said.text[snippet_span.start : snippet_span.end], snippet_span


def snippet(markdown: str, q: str, max_chars: int = 240) -> Snippet:
    record = make_record("x", markdown, title="", section_title="")
    text = chunk_text(record.page, record.chunk)
    marks = QueryWords(q).marks(text.text)
    return excerpt(text, marks, window(text, marks, max_chars, beginning(text, marks, max_chars)))


def begins_truly(text: str, start: int) -> bool:
    """At a line, or behind the end of a sentence."""
    return start == 0 or text[start - 1] == "\n" or bool(re.search(r"[.!?…]['\")\]]*\s$", text[:start]))


@given(LINES, st.sampled_from(["zebra", "stripe grazes", "component", "okapi"]), st.integers(80, 300))
def test_a_window_begins_truly_or_says_that_it_does_not(lines: list[tuple[str, list[str]]], q: str, size: int) -> None:
    text = text_of(lines)
    snippet_text, result = part_of(text, q, size)
    assert 0 < len(snippet_text) <= size
    assert begins_truly(text.text, result.start) or result.is_cut_before
    if not result.is_cut_after:
        assert text.text[result.end :][:1] in ("", "\n") or re.search(r"[.!?…]['\")\]]*$", snippet_text)


@given(LINES, st.sampled_from(["zebra", "stripe grazes", "component", "okapi"]), st.integers(80, 300))
def test_no_word_and_no_identifier_is_cut(lines: list[tuple[str, list[str]]], q: str, size: int) -> None:
    text = text_of(lines)
    snippet_text, _ = part_of(text, q, size)
    assert set(snippet_text.split()) <= set(text.text.split())


@given(LINES, st.sampled_from(["zebra", "stripe grazes", "component"]), st.integers(80, 300))
def test_the_snippet_shows_the_words_of_the_query(lines: list[tuple[str, list[str]]], q: str, size: int) -> None:
    """Unless only the heading of the section says it, which is shown above the snippet."""
    text = text_of(lines)
    marks = QueryWords(q).marks(text.text)
    span = window(text, marks, size, beginning(text, marks, size))
    if any(text.kinds[bisect_right(text.starts, mark.start) - 1] != "h" for mark in marks):
        assert any(span.start <= mark.start and mark.end <= span.end for mark in marks)


@pytest.mark.parametrize(
    ("markdown", "q", "begins"),
    [
        (
            "zebra(x: Herd<Zebra>, zebra: Zebra)\n\n" + FILLER + "\n\nA zebra is striped.",
            "zebra",
            "A zebra is striped.",
        ),
        ("- [Zebra](/z)\n- [Zebra care](/c)\n\n" + FILLER + "\n\nThe zebra grazes.", "zebra", "The zebra grazes."),
        ("```js\nzebra()\n```\n\n" + FILLER + "\n\nCall it for a zebra.", "zebra", "Call it for a zebra."),
        (FILLER + "\n\n### The zebra\n\nIt is striped.", "zebra", "It is striped."),
        (FILLER + "\n\n- Feed the okapi\n- Feed the zebra\n", "zebra", "Feed the zebra"),
        (FILLER + "\n\n| beast | legs |\n| --- | --- |\n| zebra | 4 |\n", "zebra", "zebra 4"),
        (FILLER + "\n\n```js\nokapi()\nzebra()\n```\n", "zebra", "zebra()"),
        (FILLER + "\n\nOpen the gate:\n\n```js\nzebra()\n```\n", "zebra", "Open the gate:"),
        (FILLER + "\n\nIt has stripes. Some say the zebra is white.", "zebra", "It has stripes. Some say"),
        (FILLER + "\n\nSee e.g. The zebra of the plains.", "zebra", "See e.g. The zebra"),
        (FILLER + "\n\n" + "斑馬有條紋。" * 30 + "他看見一隻長頸鹿。" + "斑馬有條紋。" * 30, "長頸鹿", "他看見"),
        ("## Other\n\n" + FILLER + "\n\nA zebra came. " + FILLER, "okapi", "Nothing of note"),
    ],
)
def test_the_answer_begins_the_snippet(markdown: str, q: str, begins: str) -> None:
    assert snippet(markdown, q).text.startswith(begins)


def test_a_part_of_a_long_sentence_begins_at_a_clause() -> None:
    snippet_text = snippet(
        "So " + "it went on and on, " * 30 + "then the zebra came, " + "and on it went " * 30, "zebra"
    )
    assert snippet_text.text.startswith("…then the zebra came, and")
    assert snippet_text.text.endswith("…")


def test_text_below_another_heading_is_left_out() -> None:
    first = "A zebra is a striped beast of the plains that grazes by day and by night."
    assert snippet(f"{first}\n\n### Type\n\n```ts\nlet a: A\n```\n\n{FILLER}", "zebra").text == first


CODE = "Feed it like this:\n\n```py\nif zebra:\n\n    feed(zebra, '<hay>')\n\tdone()\n```\n\nThen rest. Sleep."


def test_code_keeps_its_lines() -> None:
    """In the text as line breaks, in HTML as code."""
    snippet_text = snippet(CODE, "zebra")
    assert snippet_text.text == (
        "Feed it like this:\nif zebra:\n    feed(zebra, '<hay>')\n    done()\nThen rest. Sleep."
    )
    assert [snippet_text.text[a:b].split("\n")[0] for a, b in snippet_text.code] == ["if zebra:"]
    assert snippet_text.html == (
        "Feed it like this:<pre><code>if <mark>zebra</mark>:\n    feed(<mark>zebra</mark>, &#x27;&lt;hay&gt;&#x27;)\n"
        "    done()</code></pre>Then rest. Sleep."
    )


def test_code_that_is_shown_in_part_stands_at_the_edge() -> None:
    filler = "".join(f"        step({number})\n" for number in range(60))
    snippet_text = snippet(f"```py\ndef f():\n    def g():\n{filler}        zebra()\n          graze()\n```", "zebra")
    assert snippet_text.text == "zebra()\n  graze()"


def test_items_and_rows_stand_on_lines_of_their_own() -> None:
    snippet_text = snippet("Feed it:\n\n- hay\n- oats <raw>\n\n| a | b |\n| - | - |\n| c | d |", "zebra")
    assert snippet_text.html == "Feed it:<br>hay<br>oats &lt;raw&gt;<br>a b<br>c d"


@given(LINES, st.sampled_from(["zebra", "stripe grazes", "component", "okapi"]), st.integers(80, 300))
def test_html_says_what_the_text_says(lines: list[tuple[str, list[str]]], q: str, size: int) -> None:
    text = text_of(lines)
    marks = QueryWords(q).marks(text.text)
    snippet_text = excerpt(text, marks, window(text, marks, size, beginning(text, marks, size)))
    bare = re.sub(r"</?mark>", "", snippet_text.html)
    bare = re.sub(r"<br>|</?pre>|</?code>", "\n", bare).replace("&lt;", "<").replace("&gt;", ">")
    assert bare.split() == snippet_text.text.split()
    assert [snippet_text.text[a:b] for a, b in snippet_text.marks] == re.findall(
        "<mark>(.*?)</mark>", snippet_text.html
    )


@pytest.mark.parametrize(
    ("lines", "title", "page_title", "expected"),
    [
        (["h Configuration", "p Set it."], "Configuration", "Publisher", "Set it."),
        (["h Configuration:", "p Set it."], "configuration", "Publisher", "Set it."),
        (["h Lamps", "h Wicks", "p Trim it."], "Wicks", "Lamps and oil", "Trim it."),
        (["h Oil", "p Fill it."], "Wicks", "Lamps and oil", "Fill it."),
        (["h Oil", "p Fill it."], "Wicks", "Lamps and foil", "Oil Fill it."),
        (["p Configuration", "p Set it."], "Configuration", "Publisher", "Configuration Set it."),
        (["p Set it.", "h Configuration"], "Configuration", "Publisher", "Set it. Configuration"),
        (["h Configuration"], "Configuration", "Publisher", "Configuration"),
        (["h …", "p Set it."], "", "", "… Set it."),
    ],
)
def test_a_heading_that_repeats_a_title_is_not_the_first_line(
    lines: list[str], title: str, page_title: str, expected: str
) -> None:
    """Title and section are shown above the snippet."""
    text = text_of([(line[0], line[2:].split()) for line in lines])
    part = below_title(text, Window(0, len(text.text)), title, page_title)
    assert text.text[part.start : part.end].replace("\n", " ") == expected


def test_a_result_does_not_repeat_its_titles(tmp_path: Path) -> None:
    """A chunk with several small sections begins with headings."""
    text = "# Lamps and oil\n\n## Wicks {#wicks}\n\nTrim the wick of a lantern weekly."
    site = make_site(tmp_path, [Piece("/lamps", text, title="Lamps", section="Lamps and oil")])
    (result,) = site.engine.search(SearchQuery("lantern wick"), MAIN).results
    assert (result.section_title, result.snippet) == ("Wicks", "Trim the wick of a lantern weekly.")
