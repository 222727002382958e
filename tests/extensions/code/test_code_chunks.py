"""Source files as chunks: at their definitions, in every language, and nothing of them is lost."""

from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchsocket.extensions.code.parsing.chunks import chunk_source
from searchsocket.extensions.code.parsing.definitions.grammars import LANGUAGES, parser_of
from searchsocket.extensions.code.parsing.file_kinds import language_of
from searchsocket.extensions.code.parsing.split import (
    MAX_TOKENS,
    MIN_CHARS,
    OVERLAP_TOKENS,
    count_tokens,
    split_lines,
    tokens_of_lines,
)
from searchsocket.types import Chunk, Lines
from tests.conftest import GoldenCheck

CASES = sorted(path for path in Path(__file__).parent.glob("golden/*.*") if not path.name.endswith(".chunks.json"))
each_case = pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)


def cut(path: str, text: str) -> list[tuple[Lines, Chunk]]:
    chunks = chunk_source(path, text, language_of(Path(path).name))
    return [(chunk.at, chunk) for chunk in chunks if isinstance(chunk.at, Lines)]


def symbols(path: str, text: str) -> dict[str, str]:
    """Qualified name -> text of the chunk that defines it."""
    return {definition.split(":", 2)[2]: chunk.body.text for at, chunk in cut(path, text) for definition in at.defines}


@each_case
def test_chunks_of_each_language_match_the_golden_file(case: Path, golden: GoldenCheck) -> None:
    results = [
        {"kind": chunk.kind, "language": chunk.body.language, **asdict(at), "text": chunk.body.text.split("\n")}
        for at, chunk in cut(case.name, case.read_text())
    ]
    golden(case.with_suffix(".chunks.json"), results)


def test_there_is_a_golden_file_of_every_grammar() -> None:
    assert {language_of(case.name) for case in CASES} == LANGUAGES
    assert all(map(parser_of, LANGUAGES))


@each_case
def test_lines_are_those_of_the_file_and_none_is_lost(case: Path) -> None:
    text = case.read_text()
    lines, covered = text.split("\n"), set()
    for at, chunk in cut(case.name, text):
        assert chunk.body.text == "\n".join(lines[at.first - 1 : at.last])
        covered |= set(range(at.first, at.last + 1))
    code = {number for number, line in enumerate(lines, 1) if line.strip()}
    assert code - {len(text.rstrip().split("\n"))} <= covered  # the last one may be the tag that closes a style


CODE_LINES = st.sampled_from(
    ["def f(a):", "class A:", "    def g(self):", "        return 1", "    x = 1", "", "# note", "X = 2", "(", "}",
     "'''", "        if a:", "            call(a, b, c)", "@dec", "é = '🙂'", "\tx", "export const a = () => {",
     "<div>"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.lists(CODE_LINES, max_size=60),
    st.sampled_from(["a.py", "a.ts", "a.svelte", "a.rs", "a.sql", "a.html", "a.ex", "a.swift"]),
)
def test_every_line_of_any_text_belongs_somewhere(written: list[str], path: str) -> None:
    """Also of a file that is broken: what its grammar makes nothing of is text like any other."""
    text = "\n".join(written)
    covered = {number for at, _ in cut(path, text) for number in range(at.first, at.last + 1)}
    assert {number for number, line in enumerate(written, 1) if line.strip()} <= covered
    assert cut(path, text) == cut(path, text)


@given(st.lists(st.sampled_from(["    a = b + c", "", "x()", "}", "# ------", "  if (a) {"]), max_size=400))
def test_parts_join_to_what_was_split(lines: list[str]) -> None:
    parts = split_lines(lines)
    assert [number for part in parts for number in range(part.new, part.last + 1)] == list(range(len(lines)))
    for part in parts:
        assert sum(map(count_tokens, lines[part.first : part.last + 1])) <= MAX_TOKENS or part.first == part.last
        assert sum(map(count_tokens, lines[part.first : part.new])) <= OVERLAP_TOKENS


@given(st.text(st.sampled_from("aB1_-#\t \n(é🙂"), max_size=400))
def test_tokens_of_a_text_are_those_of_its_lines(text: str) -> None:
    """So a line is counted once, in whatever definitions it stands."""
    assert sum(tokens_of_lines(text.split("\n"))) == count_tokens(text)


FUNCTIONS = [f"def step_{n}(value):\n    return value * {n} + len(str(value)) - {n}" for n in range(60)]


def test_an_edit_of_one_function_of_sixty_is_one_chunk() -> None:
    before = symbols("a.py", "\n\n".join(FUNCTIONS))
    edited = [function.replace("* 7 ", "* 70 ") for function in FUNCTIONS]
    after = symbols("a.py", "import math\n\n" + "\n\n".join(edited))
    assert {name for name in after if before[name] != after[name]} == {"step_0", "step_7"}  # the import joins the first


def test_a_short_definition_is_found_by_its_symbol_in_the_chunk_of_its_neighbours() -> None:
    text = "export const X = 1\n" + "export function run() { return X + window.innerWidth + window.innerHeight }\n"
    assert set(symbols("a.ts", text)) == {"X", "run"}
    assert len(cut("a.ts", text)) == 1


OVERLOADS = {
    "a.ts": "/** Reads a setting. */\n"
    + "".join(f"export function setting(name: string, fallback: {kind}): {kind};\n" for kind in ("string", "number"))
    + "export function setting(name: string, fallback: unknown): unknown {\n  return window.store[name];\n}\n",
    "b.py": "".join(
        f"@overload\ndef setting(name: str, fallback: {kind}) -> {kind}: ...\n\n\n" for kind in ("str", "int")
    )
    + "def setting(name: str, fallback: object) -> object:\n    return os.environ.get(name, fallback)\n",
    "c.d.ts": "".join(f"export declare function setting(name: string, kind: {kind}): {kind};\n" for kind in "ABC"),
}


@pytest.mark.parametrize("path", OVERLOADS)
def test_overloads_are_one_chunk_with_what_they_are_of(path: str) -> None:
    """Each alone says the same, and they would fill an answer."""
    [(at, chunk)] = cut(path, OVERLOADS[path])
    assert (at.first, at.last, at.symbol, chunk.kind) == (1, len(OVERLOADS[path].splitlines()), "setting", "function")
    assert at.heading_path == ("setting",)


LONG = "M1 2" * 500
SHORT = {
    "rest.ts": f"export const A = {{\n  path: '{LONG}',\n}} satisfies I\n\nexport const B = {{\n  path: '{LONG}'\n}}",
    "layout.svelte": "<script>\n\tlet { children } = $props();\n</script>\n\n{@render children()}\n",
    "page.svelte": "<script>\n  export let data: { title: string; text: string };\n</script>\n\n<p>{x}</p>",
    "end.html": "<script>\n  window.opener.dismissPopup(window, document.title);\n</script>\n  </body>\n</html>",
}


@pytest.mark.parametrize("path", SHORT)
def test_nothing_short_is_a_chunk_of_its_own(path: str) -> None:
    """Also beside a line that is a chunk by itself, and of a component whose script or markup is one line."""
    chunks = cut(path, SHORT[path])
    lengths = [sum(len(line.strip()) for line in chunk.body.text.split("\n")) for _, chunk in chunks]
    assert len(chunks) == 1 or min(lengths) >= MIN_CHARS
    assert chunks[0][0].first == 1


def test_a_heading_is_called_by_what_it_shows() -> None:
    text = "## [v2.0](https://example.org/a...b) of `run` ![](/i.png)\n\nWhat is new in this version, told at length.\n"
    assert set(symbols("a.md", text)) == {"v2.0 of `run`"}


def test_a_long_function_is_split_where_its_code_is_divided() -> None:
    body = "".join(f"    # ---- step {n}\n    for x in items:\n" + "        work(x, 1, 2)\n" * 20 for n in range(12))
    chunks = cut("a.py", f"def long(items):\n{body}")
    assert len(chunks) > 2
    assert {(at.symbol, chunk.kind) for at, chunk in chunks} == {("long", "function")}
    assert [at.defines for at, _ in chunks] == [("1:function:long",), *[()] * (len(chunks) - 1)]
    lines = f"def long(items):\n{body}".split("\n")
    news = [before.last for before, _ in chunks[:-1]]  # the line behind each end
    assert all("# ---- step" in lines[line] for line in news)


def test_functions_of_a_long_wrapper_are_found() -> None:
    inner = "\n".join(
        f"  function part{n}(a) {{ return a.map((x) => x * {n}).filter(Boolean).join('-') }}" for n in range(45)
    )
    assert {"part0", "part44"} <= {
        name.rpartition(".")[2] for name in symbols("a.js", f"(function () {{\n{inner}\n}})();")
    }


def test_a_minified_line_is_cut_and_a_deep_file_is_text() -> None:
    minified = cut("a.js", "var a=1;" * 5000)
    assert max(len(chunk.body.text) for _, chunk in minified) <= 2000
    text = "".join(chunk.body.text[:1_900] for _, chunk in minified)  # the rest of each begins the next one
    assert text.startswith("var a=1;" * 5000)
    assert cut("a.py", "\n".join("(" * 1000 for _ in range(20)))
    assert cut("a.json", "[\n" * 20_000)
    deep = "\n".join("  " * n + f"class C{n}:" for n in range(300))
    assert "C0.C1" in symbols("a.py", deep)


def test_without_a_grammar_a_file_is_cut_at_blank_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("searchsocket.extensions.code.parsing.definitions.grammars.parser_of", lambda language: None)
    text = "\n\n".join(f"def f{n}():\n" + "    call(a, b)\n" * 40 for n in range(8))
    chunks = cut("a.py", text)
    assert len(chunks) > 1
    assert {chunk.kind for _, chunk in chunks} == {"block"}
    assert all("\n\ndef f" in chunk.body.text for _, chunk in chunks[1:])  # the overlap, then where it was cut
