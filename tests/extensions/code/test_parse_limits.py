"""Damaged files that take a parser minutes or gigabytes are split at blank lines, in every language."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from searchsocket.extensions.code.parsing.chunks import chunk_source
from searchsocket.extensions.code.parsing.definitions import grammars
from searchsocket.extensions.code.parsing.definitions.grammars import LANGUAGES, ParseLimits, ParserTooCostly, parse
from searchsocket.extensions.code.parsing.file_kinds import language_of
from searchsocket.system import processes
from tests.extensions.code.code_project import CodeProject

GOLDEN = Path(__file__).parent / "golden"
SOURCES = {language_of(path.name): path for path in GOLDEN.glob("*.*") if path.suffix != ".json" or path.stem == "json"}
each_language = pytest.mark.parametrize("language", sorted(LANGUAGES))
each_way = pytest.mark.parametrize("is_guarded", [True, False])

# Language -> text that is repeated. Without limits these take minutes, gigabytes, or both.
MANY_STEPS = {
    "elixir": "a + ", "kotlin": "/*", "lua": "[", "swift": "/*", "typescript": "{-", "zig": "/*",
}  # fmt: skip
MUCH_MEMORY = {"java": "%w(", "python": "/*"}


def repeated(unit: str, size: int) -> bytes:
    """A file of lines of 60 characters."""
    text = unit * (size // len(unit))
    return "\n".join(text[at : at + 60] for at in range(0, size, 60)).encode()


@pytest.mark.parametrize("language", MANY_STEPS)
def test_a_parser_that_needs_too_many_steps_is_stopped(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps depend only on the file, so that every machine splits it the same way."""
    monkeypatch.setattr(grammars, "_MAX_CPU_S", 1e9)
    source = repeated(MANY_STEPS[language], 20_000)
    assert parse(language, source, ParseLimits.start(is_guarded=False)) is None
    if language in ("lua", "zig"):  # others take seconds
        with pytest.raises(ParserTooCostly):
            parse(language, source, ParseLimits.start(is_guarded=True))


@pytest.mark.skipif(not grammars._memory_bytes()[0], reason="this system does not report memory")
@pytest.mark.parametrize("language", MUCH_MEMORY)
def test_a_parser_that_needs_too_much_memory_is_stopped(language: str) -> None:
    """Most of it is taken at the end of a file, where the parser asks nobody."""
    with pytest.raises(ParserTooCostly):
        parse(language, repeated(MUCH_MEMORY[language], 20_000), ParseLimits.start(is_guarded=True))


@each_way
@each_language
def test_every_grammar_asks_whether_to_go_on(language: str, is_guarded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    source = SOURCES[language].read_bytes() * 40
    assert parse(language, source, ParseLimits.start(is_guarded=is_guarded)) is not None
    monkeypatch.setattr(grammars, "_MIN_STEPS", 0)
    monkeypatch.setattr(grammars, "_STEPS_PER_KB", 0)
    with pytest.raises(ParserTooCostly) if is_guarded else nullcontext():
        assert parse(language, source, ParseLimits.start(is_guarded=is_guarded)) is None


@each_language
def test_prefixes_change_no_chunk(language: str) -> None:
    path = SOURCES[language]
    text = path.read_text() * 5
    guarded, free = (chunk_source(path.name, text, language, is_guarded=way) for way in (True, False))
    assert guarded == free
    assert any(chunk.at.defines for chunk in guarded)


def test_scripts_share_the_time_of_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "<script>\n" + "function run() {\n  call();\n}\n" * 200 + "</script>\n"
    text = script * 3
    assert any(chunk.at.defines for chunk in chunk_source("a.html", text, "html"))
    monkeypatch.setattr(grammars, "_MAX_CPU_S", 0)
    chunks = chunk_source("a.html", text, "html")
    assert not any(chunk.at.defines for chunk in chunks)
    lines = {number for chunk in chunks for number in range(chunk.at.first, chunk.at.last + 1)}
    assert lines >= set(range(1, text.count("\n") + 1))


def test_a_file_that_seems_costly_is_cut_by_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory of the process depends on what else it does, so it never decides how a file is split."""
    plain = CodeProject(tmp_path / "plain" / "site")
    plain.index()
    monkeypatch.setattr(ParseLimits, "_is_harmless", lambda *_: False)
    costly = CodeProject(tmp_path / "costly" / "site")
    costly.index()
    assert costly.records() == plain.records()


def test_without_workers_such_a_file_is_split_at_blank_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers do not start if the main program cannot be imported again; no file may lose its chunks then."""
    plain = CodeProject(tmp_path / "plain" / "site")
    plain.index()
    monkeypatch.setattr(ParseLimits, "_is_harmless", lambda *_: False)
    monkeypatch.setattr(processes, "_usable", lambda *_: None)
    code = CodeProject(tmp_path / "costly" / "site")
    code.index()
    records = code.records()
    assert {record.page.url for record in records} == {record.page.url for record in plain.records()}
    assert not any(record.chunk.at.defines for record in records)


# Text with a number of open collections.
NESTED = {
    "keys": lambda count: "".join(f"{' ' * depth}k:\n" for depth in range(count)),
    "items on a line": lambda count: "- " * count + "a\n",
    "items below their keys": lambda count: "".join(
        f"{' ' * depth}k:\n{' ' * depth}- \n" for depth in range(count // 2)
    ),
    "keys in items": lambda count: "".join(f"{'  ' * depth}- k:\n" for depth in range(count // 2)),
    "complex keys": lambda count: "".join(f"{' ' * depth}? \r" for depth in range(count)),
}


@each_way
@pytest.mark.parametrize("nested", NESTED.values(), ids=NESTED)
def test_yaml_that_is_too_deep_is_never_parsed(nested: Callable[[int], str], is_guarded: bool) -> None:
    """The scanner of the grammar writes beyond its memory there: the process died and nothing was indexed."""
    limits_of_file = ParseLimits.start(is_guarded=is_guarded)
    assert parse("yaml", nested(400).encode(), limits_of_file) is None
    assert parse("yaml", nested(60).encode(), limits_of_file) is not None


def test_long_lines_of_yaml_are_not_deep() -> None:
    """Continued text far to the right, or prose with many dashes, opens no collection for each column."""
    text = "key: >\n" + "".join(f"{' ' * (2 + width)}words - more words\n" for width in range(0, 90, 30)) * 50
    assert parse("yaml", text.encode(), ParseLimits.start()) is not None
