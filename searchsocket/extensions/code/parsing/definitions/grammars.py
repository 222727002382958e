"""The tree-sitter grammars, each from its own package: the extra `searchsocket[code]`; and limits for parsing.

Some short damaged files take a parser minutes or gigabytes.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Tree

# No file of the 59 repositories of semble's benchmark and of 290 MB of installed packages needs half of either.
_STEPS_PER_KB, _MIN_STEPS = 40, 400  # a step is a hundred operations of the parser
_READS_PER_BLOCK = 100
_BLOCK = 1_024  # bytes that the parser reads at once
_PREFIX = 1_500  # bytes by which each prefix is longer than the one before
_PREFIX_TIMES = 8  # the work that all prefixes may take, compared with the file
_MAX_CPU_S = 2.0  # for a file with all its scripts; only damaged files need so much time in so few steps
_STEPS_PER_CLOCK = 16
_MAX_GROWTH_BYTES = 50_000_000
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")  # of Linux; elsewhere memory is not limited
_MEMORY = re.compile(rb"^VmHWM:\s+(\d+) kB\nVmRSS:\s+(\d+) kB$", re.MULTILINE)


class ParserTooCostly(Exception):
    """A file may take a parser too much work or memory for this process; parse it in one that can be ended."""


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Limits for one file and for all scripts in it."""

    is_guarded: bool  # False: a limit of this process on memory ends it
    end_s: float  # CPU time of this thread

    @classmethod
    def start(cls, *, is_guarded: bool = False) -> "ParseLimits":
        """The limits for a file that is parsed from now on."""
        return cls(is_guarded, time.thread_time() + _MAX_CPU_S)

    def parse(self, parser: "Parser", source: bytes) -> "Tree | None":
        """Parse a file or a script in it; None if that takes too much work.

        Raises:
            ParserTooCostly: It may take too much work or memory, and is guarded.
        """
        if self.is_guarded:
            if not self._is_harmless(parser, source):
                raise ParserTooCostly
            return parser.parse(source)
        if time.thread_time() > self.end_s:
            return None
        budget = _Budget.of(len(source), 1, self.end_s)
        buffer, is_parsed = bytearray(), False

        def read(offset: int, _: object) -> bytes | bytearray:
            budget.reads -= 1
            if is_parsed:  # a node asks for its text
                return source[offset : offset + _BLOCK]
            buffer[:] = source[offset : offset + _BLOCK]
            return buffer  # always the same, since tree-sitter 0.26.1 never frees it

        try:
            tree = parser.parse(read, progress_callback=budget.is_spent)
        except ValueError:
            return None
        is_parsed = True
        return tree

    def _is_harmless(self, parser: "Parser", source: bytes) -> bool:
        """Parse all prefixes of a file; return False if one takes too much."""
        budget = _Budget.of(len(source), _PREFIX_TIMES, self.end_s)
        max_peak_bytes = _max_peak_bytes()
        buffer = bytearray()
        tree, end, point = None, 0, (0, 0)

        def read(offset: int, _: object) -> bytearray:
            budget.reads -= 1
            buffer[:] = source[offset : min(offset + _BLOCK, end)]
            return buffer  # as above

        while end < len(source):
            start, end, start_point = end, min(end + _PREFIX, len(source)), point
            point = _after(point, source[start:end])
            try:
                if tree is None:
                    tree = parser.parse(read, progress_callback=budget.is_spent)
                else:
                    tree.edit(start, start, end, start_point, start_point, point)
                    tree = parser.parse(read, tree, progress_callback=budget.is_spent)
            except ValueError:
                return False
            if _memory_bytes()[0] > max_peak_bytes:
                return False
        return True


@dataclass(slots=True)
class _Budget:
    """Work that the parser may still do. Steps and reads depend only on the size of a file."""

    steps: int
    reads: int
    end_s: float

    @classmethod
    def of(cls, size: int, times: int, end_s: float) -> "_Budget":
        steps, blocks = _MIN_STEPS + _STEPS_PER_KB * size // 1_000, size // _BLOCK + 4
        return cls(times * steps, times * _READS_PER_BLOCK * blocks, end_s)

    def is_spent(self, _offset: int, _has_error: bool) -> bool:
        """Count a step; return True if parsing must end."""
        self.steps -= 1
        if self.steps < 0 or self.reads < 0:
            return True
        return self.steps % _STEPS_PER_CLOCK == 0 and time.thread_time() > self.end_s


def _after(point: tuple[int, int], text: bytes) -> tuple[int, int]:
    """The row and column after a text that starts at a point."""
    rows = text.count(b"\n")
    return point[0] + rows, len(text) - text.rfind(b"\n") - 1 if rows else point[1] + len(text)


def _max_peak_bytes() -> int:
    """The peak of resident memory from which a file takes too much."""
    peak, now = _memory_bytes()
    if peak > now + _MAX_GROWTH_BYTES:  # it would hide the peak of this file
        with suppress(OSError):
            _CLEAR.write_bytes(b"5")
        peak, now = _memory_bytes()
    return max(peak, now + _MAX_GROWTH_BYTES)


def _memory_bytes() -> tuple[int, int]:
    """Peak of resident memory and resident memory now; 0 if the system does not report them."""
    try:
        match = _MEMORY.search(_STATUS.read_bytes())
    except OSError:
        match = None
    return (int(match[1]) * 1_024, int(match[2]) * 1_024) if match else (0, 0)


# Bounds make the time linear in the size of a file, whatever it contains.
_ARGUMENTS = r"\((?:[^(){};]|\((?:[^(){};]|\([^(){};]{0,100}\)){0,200}\)){0,500}\)"
_CAPITALS = r"[A-Z][A-Z0-9_]+"
_MACRO = rf"{_CAPITALS}\b(?:[ \t]*{_ARGUMENTS})?"
_START = r"(?<!\\\n)^[ \t]*"  # of a line that does not continue a macro's definition
_TYPE_ARGUMENTS = r"(?:<[^;{}()]{0,200}>)?"
_TWO_NAMES = re.compile(r"(?:^|_)TEST(?:_[A-Z]{1,2})?$|^BENCHMARK|_METHOD$")  # macros whose second argument is a member
_NAMED_SECOND = re.compile(r"PER_CPU|^ABSL_FLAG|^MOCK_(?:CONST_)?METHOD$")
_NO_FUNCTION = re.compile(r"FOR|EACH|^IF|^ELSE|WHILE|SWITCH|CASE|CATCH|^TRY")
_VALUES = frozenset(["int", "char", "bool", "long", "short", "float", "double", "void"])
_QUALIFIERS = frozenset(["struct", "union", "enum", "class", "const", "unsigned", "signed", "auto", "static"])
_TYPES = _VALUES | _QUALIFIERS
_NO_TYPE = _QUALIFIERS | frozenset(
    ["return", "else", "extern", "inline", "constexpr", "typedef", "case", "throw", "goto", "new", "delete", "define"]
)
_MOST_COLLECTIONS = 200  # nobody writes 100 levels by hand
_LINE_END = re.compile(rb"[\r\n]")
_INDICATOR = re.compile(rb"[-?:](?=[ \t]|\Z)")
MODULES = {  # language -> module and function; a dialect uses the closest grammar
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "css": ("tree_sitter_css", "language"),
    "elixir": ("tree_sitter_elixir", "language"),
    "go": ("tree_sitter_go", "language"),
    "html": ("tree_sitter_html", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "json": ("tree_sitter_json", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "lua": ("tree_sitter_lua", "language"),
    "markdown": ("tree_sitter_markdown", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "scala": ("tree_sitter_scala", "language"),
    "svelte": ("tree_sitter_svelte", "language"),
    "swift": ("tree_sitter_swift", "language"),
    "toml": ("tree_sitter_toml", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "vue": ("tree_sitter_html", "language"),
    "yaml": ("tree_sitter_yaml", "language"),
    "zig": ("tree_sitter_zig", "language"),
}
LANGUAGES = frozenset(MODULES)


def _compile(*parts: str) -> re.Pattern[str]:
    return re.compile("".join(parts), re.MULTILINE | re.ASCII)


# `SYSCALL_DEFINE2(node_count, ...) {` defines a function.
_FUNCTION = _compile(
    r"(?<!\\\n)^((?:static[ \t]+)?)", rf"({_CAPITALS}\w*)[ \t]*({_ARGUMENTS})(?:{_ARGUMENTS})?(?=\s*\{{)"
)
# `static DEFINE_MUTEX(cart_lock);` defines a variable, and `MOCK_METHOD(int, count, ());` a function.
_VARIABLE = _compile(
    rf"({_START}(?:static[ \t]+)?)((?:\w+_)?DEFINE_\w+|LIST_HEAD|ABSL_FLAG|MOCK_\w*METHOD\w*)",
    rf"[ \t]*({_ARGUMENTS})(?=\s*;)",
)
# `class SHOP_API Cart : public Base {`, `struct PACKED(1) line {`
_BEFORE_CLASS = _compile(
    r"(?<![\w<,.])((?:class|(?:struct|union|enum(?:[ \t]+class)?)(?=\s+(?:[A-Z_][A-Z0-9_]*\b|__\w+|alignas)))\s+)",
    rf"((?:(?!final\b)\w+(?:[ \t]*{_ARGUMENTS})?\s+){{1,4}})",
    rf"(?=(?!final\b)[A-Za-z_][\w:]*{_TYPE_ARGUMENTS}\s*(?:final\b\s*)?(?:\{{|:[^:]))",
)
# `void printflike(1, 2) log_text(...)`
_NUMBERS = _compile(r"\b[A-Za-z_]\w*[ \t]*\([ \t]*\d+[ \t]*(?:,[ \t]*\d+[ \t]*)*\)(?=\s+\*?\w+[ \t]*\()")
# A line with macros only, above a definition.
_ALONE = _compile(rf"{_START}{_MACRO}(?:[ \t]+{_MACRO})*[ \t]*$", r"(?=\n[ \t]*(?:[a-z#~/}\n]|[A-Z]\w*[ \t:<*&]+\w))")
# `SHOP_API Cart* open_cart(...)`
_BEFORE_STATEMENT = _compile(
    rf"({_START}(?:(?:static|inline|extern|virtual)[ \t]+)*)({_MACRO}[ \t]+)",
    rf"(?=(?:{_CAPITALS}[ \t]+)*(?:[a-z_]\w*|[A-Z]\w*[a-z]\w*)(?:::\w+)*{_TYPE_ARGUMENTS}",
    r"[ \t]*[*&]*[ \t]+[*&]*[A-Za-z_~])",
)
_IN_TYPEDEF = _compile(rf"(?<=typedef )({_MACRO})(?=\s+\w+[\s*]+\()")
# `static int __init start(void)`, `void WINAPI open(...)`, but not `static __u32 count(...)`
_BEFORE_NAME = _compile(
    rf"(\b\w+|[*&>])([ \t]+)(__(?!u?int|[usb](?:8|16|32|64)\b|[lb]e(?:16|32|64)\b|m\d)\w+|{_CAPITALS})",
    r"(?=[ \t]+[A-Za-z_]\w*[ \t]*\()",
)
# `void add(int count) REQUIRES(lock) override;`
_AFTER_ARGUMENTS = _compile(
    rf"(?<=\))(\s*(?:(?:const|noexcept|override|final)\b\s*)*)(?:{_MACRO}\s*)+",
    r"(?=[;{=]|override\b|const\b|noexcept\b|final\b|:[^:])",
)
# `int total GUARDED_BY(lock);`
_AFTER_MEMBER = _compile(rf"(\b\w+|>)([\s*&]+)(\w+)(\s+{_CAPITALS}[ \t]*{_ARGUMENTS})(?=\s*[;=])")


def without_macros(source: bytes, language: str) -> bytes:
    """Rewrite the macros of a file in C or C++; the result has the same lines and length."""
    text = source.decode("latin-1")  # a character per byte
    text = _FUNCTION.sub(lambda match: _function(match, is_cpp=language == "cpp"), text)
    text = _VARIABLE.sub(_variable, text)
    text = _BEFORE_CLASS.sub(_without_group(2), text)
    text = _NUMBERS.sub(_without_group(0), text)
    text = _ALONE.sub(_without_group(0), text)
    text = _BEFORE_STATEMENT.sub(_without_group(2), text)
    text = _IN_TYPEDEF.sub(_without_group(1), text)
    text = _BEFORE_NAME.sub(lambda match: match[0] if match[1] in _NO_TYPE else _without_group(3)(match), text)
    text = _AFTER_ARGUMENTS.sub(lambda match: match[1] + _spaces(match[0][len(match[1]) :]), text)
    text = _AFTER_MEMBER.sub(lambda match: match[0] if _is_call(match) else _without_group(4)(match), text)
    return text.encode("latin-1")


def _without_group(group: int) -> Callable[[re.Match[str]], str]:
    def replacement(match: re.Match[str]) -> str:
        first, last = match.start(group) - match.start(), match.end(group) - match.start()
        return match[0][:first] + _spaces(match[0][first:last]) + match[0][last:]

    return replacement


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _function(match: re.Match[str], *, is_cpp: bool) -> str:
    names = _names(match[3])
    if not names or _NO_FUNCTION.search(match[2]):
        return match[0]
    if len(names) > 1 and _TWO_NAMES.search(match[2]):
        name = f"{names[0]}::{names[1]}" if is_cpp else names[1]
    else:
        name = names[0]
    return _padded(f"{name}()" if is_cpp else f"int {name}()", match[0])


def _variable(match: re.Match[str]) -> str:
    names = _names(match[3])
    arguments = match[3][1:-1].split(",")
    if len(arguments) > 1 and _NAMED_SECOND.search(match[2]):
        names = [name for name in names if name == arguments[1].strip()]
    if not names:
        return match[0]
    brackets = "()" if "METHOD" in match[2] else ""
    return match[1] + _padded(f"int {names[0]}{brackets}", match[0][len(match[1]) :])


def _padded(text: str, replaced: str) -> str:
    """A text with the lines and the length of the text that it replaces."""
    if len(text) > len(replaced) or "\n" in replaced[: len(text)]:
        return replaced
    return text + _spaces(replaced[len(text) :])


def _names(arguments: str) -> list[str]:
    """The arguments that are names, but no types."""
    parts = (part.strip() for part in arguments[1:-1].split(","))
    return [part for part in parts if part.isidentifier() and part not in _TYPES]


def _is_call(match: re.Match[str]) -> bool:
    """Return True for `return left MACRO(right);` and `static int MACRO(right);`."""
    return match[1] in _NO_TYPE or match[3] in _NO_TYPE | _VALUES


def is_too_deep(language: str, source: bytes) -> bool:
    """Return True if the parser must not read a file."""
    return language == "yaml" and any(count > _MOST_COLLECTIONS for count in _collections(source))


def _collections(source: bytes) -> Iterator[int]:
    """An upper bound of the open collections at each line: two per column in which one starts, and those of the line.

    Two, because the items of a list may be in the column of its key.
    """
    columns: list[int] = []
    for line in _LINE_END.split(source):
        text = line.lstrip(b" \t")
        if not text:
            continue
        column = len(line) - len(text)
        while columns and columns[-1] >= column:
            columns.pop()
        columns.append(column)
        yield 2 * len(columns) + len(_INDICATOR.findall(text))


def installed() -> bool:
    """Return True if files are split at definitions, because the grammars can be loaded."""
    return parser_of("python") is not None


def available() -> bool:
    """Return True if the grammars are installed; loads nothing."""
    return all(find_spec(name) is not None for name in ("tree_sitter", MODULES["python"][0]))


def parser_of(language: str) -> "Parser | None":
    """A new parser of a language, for one thread; None if its package is not installed, or there is none."""
    grammar = grammar_of(language)
    if grammar is None:
        return None
    from tree_sitter import Parser

    return Parser(grammar)


@cache
def grammar_of(language: str) -> "Language | None":
    """The grammar of a language; None if its package is not installed, or there is none."""
    if language not in MODULES:
        return None
    module, function = MODULES[language]
    try:
        from tree_sitter import Language

        return Language(getattr(import_module(module), function)())
    except (ImportError, AttributeError, ValueError):  # ValueError: incompatible with the installed tree-sitter version
        return None


def parse(language: str, source: bytes, limits: ParseLimits) -> "Tree | None":
    """Parse a file; None if there is no parser, or if this file is too deep or needs too much work for it.

    Raises:
        ParserTooCostly: See `ParseLimits.parse`.
    """
    parser = parser_of(language)
    if parser is None or is_too_deep(language, source):
        return None
    return limits.parse(parser, without_macros(source, language) if language in ("c", "cpp") else source)
