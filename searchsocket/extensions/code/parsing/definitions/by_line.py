"""Find definitions in languages without a grammar: by how their lines start, and by indentation."""

import re
from collections.abc import Sequence
from functools import cache

from searchsocket.extensions.code.parsing.definitions.model import Definition, Symbol
from searchsocket.extensions.code.parsing.definitions.recovery import indent_of, insert, last_row

_QUOTED = r"[\"'`\[]?(?P<name>[\w$-]+)[\"'`\]]?"
_SQL_OBJECT = (
    r"create\s+(?:or\s+replace\s+)?(?:(?:unique|temp|temporary|unlogged|external|materialized|recursive|constraint|"
    r"global|local|definer\s*=\s*\S+)\s+)*(?:{words})\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?"
    r"(?:[\"'`\[]?(?P<owner>[\w$-]+)[\"'`\]]?\.)?" + _QUOTED
)
# language -> (kind, expression for the start of a line); the first that matches counts. `owner` is put before the name.
_STARTS: dict[str, tuple[tuple[str, str], ...]] = {
    "graphql": (
        ("type", r"(?:extend\s+)?(?:type|input|union|scalar)\s+(?P<name>\w+)"),
        ("enum", r"(?:extend\s+)?enum\s+(?P<name>\w+)"),
        ("interface", r"(?:extend\s+)?interface\s+(?P<name>\w+)"),
        ("function", r"directive\s+@(?P<name>\w+)"),
        ("function", r"(?:query|mutation|subscription|fragment)\s+(?P<name>\w+)"),
    ),
    "haskell": (
        ("type", r"(?:data|newtype|type)\s+(?:family\s+|instance\s+)?(?:[^=\n]*=>\s*)?(?P<name>[A-Z][\w']*)"),
        ("interface", r"class\s+(?:[^=\n]*=>\s*)?(?P<name>[A-Z][\w']*)"),
        ("function", r"[ \t]*(?P<name>[a-z_][\w']*)\s*(?:,\s*[\w', ]+)?::"),
        ("function", r"[ \t]*\((?P<name>[^\w\s()]+)\)\s*::"),
    ),
    "julia": (
        ("function", r"[ \t]*function\s+(?:[\w.]+\.)?(?P<name>[\w!]+)"),
        ("function", r"(?P<name>[\w!]+)\([^=\n]*\)\s*(?:where[^=\n]*)?=(?!=)"),
        ("struct", r"[ \t]*(?:mutable\s+)?struct\s+(?P<name>\w+)"),
        ("type", r"[ \t]*(?:abstract|primitive)\s+type\s+(?P<name>\w+)"),
        ("macro", r"[ \t]*macro\s+(?P<name>\w+)"),
        ("constant", r"[ \t]*const\s+(?P<name>\w+)"),
        ("module", r"(?:bare)?module\s+(?P<name>\w+)"),
    ),
    "protobuf": (
        ("struct", r"[ \t]*message\s+(?P<name>\w+)"),
        ("enum", r"[ \t]*enum\s+(?P<name>\w+)"),
        ("interface", r"[ \t]*service\s+(?P<name>\w+)"),
        ("method", r"[ \t]*rpc\s+(?P<name>\w+)"),
        ("field", r"[ \t]*oneof\s+(?P<name>\w+)"),
    ),
    "scss": (
        ("function", r"[ \t]*@(?:mixin|function)\s+(?P<name>[\w-]+)"),
        ("rule", r"[ \t]*@(?:-\w+-)?keyframes\s+(?P<name>[\w-]+)"),
        ("rule", r"[ \t]*(?P<name>%[\w-]+)\s*\{"),
        ("variable", r"[ \t]*(?P<name>(?:\$|--)[\w-]+)\s*:"),
        ("rule", r"(?P<name>[.#][\w-]+)\s*[{,]"),
    ),
    "sql": (
        ("type", _SQL_OBJECT.format(words="table|view|type|domain|foreign\\s+table")),
        ("function", _SQL_OBJECT.format(words="function|procedure|aggregate|macro")),
        ("variable", _SQL_OBJECT.format(words="index|trigger|sequence|policy|rule|role|event|synonym|extension")),
        ("module", _SQL_OBJECT.format(words="schema|database|package(?:\\s+body)?")),
    ),
    "terraform": (
        ("struct", r"resource\s+\"(?P<owner>[\w-]+)\"\s+\"(?P<name>[\w-]+)\""),
        ("struct", r"(?P<owner>data\s+\"[\w-]+\")\s+\"(?P<name>[\w-]+)\""),
        ("variable", r"(?P<owner>variable)\s+\"(?P<name>[\w-]+)\""),
        ("key", r"(?P<name>locals)\s*\{"),
        ("module", r"(?P<owner>module|provider|output)\s+\"(?P<name>[\w-]+)\""),
    ),
}  # fmt: skip
_STARTS["less"] = (("variable", r"[ \t]*(?P<name>@[\w-]+)\s*:"), *_STARTS["scss"])
# language -> kinds of definitions that have members, and the start of the line of a member
_MEMBERS: dict[str, tuple[frozenset[str], str]] = {
    "graphql": (frozenset({"type", "interface"}), r"[ \t]+(?P<name>\w+)\s*(?:\([^)]*\))?\s*:"),
    "protobuf": (
        frozenset({"struct", "enum", "field"}),
        r"[ \t]+(?:(?:repeated|optional|required)\s+)?(?:[\w.]+(?:<[^>]*>)?\s+)?(?P<name>\w+)\s*=\s*-?\w+\s*[;\[]",
    ),
    "terraform": (frozenset({"key"}), r"[ \t]+(?P<name>[\w-]+)\s*="),
}
_WRITTEN = {"variable": "var", "locals": "local"}  # how uses write an owner
_NOT_NAMES = frozenset({"where", "let", "in", "do"})
_COMMENT = re.compile(r"\s*(?:#|//|--|\"\"\"|/?\*)")
_MAX_INDENT = 80  # columns; deeper definitions are text of those around them


def definitions_by_line(lines: Sequence[str], language: str) -> tuple[Definition, ...]:
    """Return the definitions of a file, each with those in its lines; () for a language without rules."""
    found: list[Definition] = []
    for row, line in enumerate(lines if language in _STARTS else ()):
        around = found.pop() if found and row < found[-1].last else None
        symbol = _symbol(line, row, language, around)
        if symbol and indent_of(line) <= _MAX_INDENT:
            first, above = row, around.first if around else found[-1].last if found else 0
            while first > above and _COMMENT.match(lines[first - 1]):
                first -= 1
            last = last_row(lines, row) + 1
            new = Definition((symbol,), first + 1, last, " ".join(line.split()).rstrip("{=: "))
            found += insert((around,), new, has_nested=True) if around else (new,)
        elif around:
            found.append(around)
    return tuple(found)


def _symbol(line: str, row: int, language: str, around: Definition | None) -> Symbol | None:
    for kind, expression in _expressions(language):
        if (match := expression.match(line)) and match["name"] not in _NOT_NAMES:
            owner = match.groupdict().get("owner") or ""
            parents = tuple(_WRITTEN.get(part, part) for part in re.findall(r"[\w-]+", owner))
            if around and (*around.main.parents, around.main.name) == (*parents, match["name"]):
                return None  # the next equation of the same function
            return Symbol(_WRITTEN.get(match["name"], match["name"]), parents, kind, row + 1, exported=True)
    kinds, member = _member(language)
    if around and (match := member.match(line)) and _innermost(around, row).main.kind in kinds:
        return Symbol(match["name"], (), "field", row + 1, exported=True)
    return None


def _innermost(around: Definition, row: int) -> Definition:
    while inner := next((each for each in around.members if each.first <= row < each.last), None):
        around = inner
    return around


@cache
def _expressions(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    flags = re.IGNORECASE if language == "sql" else 0
    return tuple((kind, re.compile(expression, flags)) for kind, expression in _STARTS.get(language, ()))


@cache
def _member(language: str) -> tuple[frozenset[str], re.Pattern[str]]:
    kinds, expression = _MEMBERS.get(language, (frozenset(), r"(?!)(?P<name>)"))
    return kinds, re.compile(expression)
