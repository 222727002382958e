"""Format of `curation.toml`: the owner's rules for results, with their line numbers."""

import difflib
import hashlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from searchsocket.errors import InvalidRequest
from searchsocket.project.settings.load import statements
from searchsocket.project.settings.model import SynonymGroup, check_synonyms
from searchsocket.project.settings.section import SettingsSection, listed
from searchsocket.system.json_text import JsonObject
from searchsocket.text.mistakes import explain_mistake
from searchsocket.text.words import fold
from searchsocket.web.urls.paths import canonical_path, page_path

FILE_NAME = "curation.toml"
_MAX_BYTES = 1_000_000
_MAX_RULES = 500  # of each kind
_MAX_CHARS = 200  # of a query
_MAX_MISTAKES = 20
_NO_TOML = "is not valid TOML"
_RULE = re.compile(r"^[ \t]*\[{1,2}[ \t]*(\w+)[ \t]*\]{1,2}", re.MULTILINE)
_PUNCTUATION = " ?!.,;:"  # at the end of a query

Effect = Literal["pin", "hide", "boost"]


def plain_query(text: str) -> str:
    """Normalize a query for rules: without upper case, diacritics, and punctuation at its end."""
    return " ".join(map(fold, text.split())).rstrip(_PUNCTUATION)


def fits(pattern: str, text: str) -> bool:
    """Return True if a text matches a pattern; `*` matches any number of characters."""
    first, *others = pattern.split("*")
    if not others:
        return text == pattern
    *middle, last = others
    end = len(first)
    if not text.startswith(first):
        return False
    for part in middle:
        at = text.find(part, end)
        if at < 0:
            return False
        end = at + len(part)
    return text.endswith(last) and end <= len(text) - len(last)


@dataclass(frozen=True, slots=True)
class PageRule:
    """A rule for some queries: pin pages, hide them, or change their weight."""

    effect: Effect
    line: int
    queries: tuple[str, ...]  # patterns of plain queries
    pages: tuple[str, ...]  # pin: URLs; hide: patterns of URLs; boost: directories
    factor: float = 1.0  # boost: factor of the weight
    until: date | None = None  # last day of the rule

    def is_about(self, q: str) -> bool:
        """Return True if the rule applies to a plain query."""
        return any(fits(pattern, q) for pattern in self.queries)

    def names(self, url: str) -> bool:
        """Return True if the rule applies to a page."""
        if self.effect == "boost":
            return any(url == path or url.startswith(f"{path.rstrip('/')}/") for path in self.pages)
        return any(fits(pattern, url) for pattern in self.pages)


@dataclass(frozen=True, slots=True)
class SynonymRule:
    """A group of words that mean the same."""

    line: int
    words: tuple[str, ...]
    until: date | None = None


@dataclass(frozen=True, slots=True)
class CurationRules:
    """The rules of one file, in file order."""

    pages: tuple[PageRule, ...] = ()
    synonyms: tuple[SynonymRule, ...] = ()
    digest: str = ""  # of the file; "" without a file
    mistakes: tuple[str, ...] = ()  # a sentence for each rule that is not valid, with file and line

    def expired(self, today: date) -> Iterator[PageRule | SynonymRule]:
        """Return the expired rules, by line."""
        rules: list[PageRule | SynonymRule] = [*self.pages, *self.synonyms]
        return iter(sorted((rule for rule in rules if not is_current(rule, today)), key=lambda rule: rule.line))


NO_RULES = CurationRules()


def is_current(rule: PageRule | SynonymRule, today: date) -> bool:
    """Return True if a rule applies on a day; its last day is included."""
    return rule.until is None or today <= rule.until


def _checked_path(path: str) -> str:
    if not path.startswith("/"):
        raise ValueError(f"{path!r} is not a page of the site; write its path, such as /docs/install")
    try:
        return path if "*" in path else page_path(canonical_path(path))
    except InvalidRequest as error:
        raise ValueError(str(error)) from error


def _checked_page(path: str) -> str:
    if "*" in path:
        raise ValueError(f"{path!r} has a '*'; name each page that is pinned")
    return _checked_path(path)


def _checked_query(text: str) -> str:
    plain = plain_query(text)
    if not plain:
        raise ValueError(f"{text!r} has no word and no '*'")
    return plain


def _checked_words(group: SynonymGroup) -> SynonymGroup:
    check_synonyms(group)
    return group


_Text = Annotated[str, Field(min_length=1, max_length=_MAX_CHARS)]
_Queries = Annotated[
    tuple[Annotated[_Text, AfterValidator(_checked_query)], ...],
    BeforeValidator(listed),
    Field(min_length=1, max_length=50),
]
_Path = Annotated[str, Field(max_length=2_000), AfterValidator(_checked_path)]
_Paths = Annotated[tuple[_Path, ...], BeforeValidator(listed), Field(min_length=1, max_length=100)]
_Page = Annotated[str, Field(max_length=2_000), AfterValidator(_checked_page)]
_Pages = Annotated[tuple[_Page, ...], BeforeValidator(listed), Field(min_length=1, max_length=20)]


class _Pin(SettingsSection):
    query: _Queries
    pages: _Pages
    until: date | None = None


class _Hide(SettingsSection):
    query: _Queries
    pages: _Paths
    until: date | None = None


class _Boost(SettingsSection):
    path: _Paths
    factor: Annotated[float, Field(ge=0.1, le=10)]
    query: _Queries = ("*",)
    until: date | None = None


class _SynonymGroup(SettingsSection):
    words: Annotated[SynonymGroup, AfterValidator(_checked_words)]
    until: date | None = None


_RULES: Mapping[str, type[SettingsSection]] = {"pin": _Pin, "hide": _Hide, "boost": _Boost, "synonyms": _SynonymGroup}
Lines = Mapping[tuple[str | int, ...], int]  # (table, its number, key) -> line


def read_curation(path: Path) -> CurationRules:
    """Read a file of rules; `mistakes` names each rule that is not valid and therefore left out.

    Raises:
        FileNotFoundError: The file does not exist.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        return _unusable(b"", f"{path} cannot be read: {error.strerror}")
    if len(data) > _MAX_BYTES:
        return _unusable(data, f"{path} is larger than {_MAX_BYTES:,} bytes, too large for rules")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _unusable(data, f"{path}:{line}: is not UTF-8")
    tables, mistakes = _tables(path, text)
    lines = _lines(text)
    rules: dict[str, dict[int, SettingsSection]] = {name: {} for name in _RULES}
    for name, entries in tables.items():
        if name not in _RULES:
            mistakes.append(
                f"{path}:{lines.get((name,), 1)}: unknown key {name}; did you mean {_nearest(name, _RULES)}?"
            )
        elif not isinstance(entries, list):
            mistakes.append(f"{path}:{lines.get((name,), 1)}: {_two_brackets(name)}")
        else:
            for at, entry in enumerate(entries[:_MAX_RULES]):
                if entry is not None:  # its mistake is named already
                    _check_rule(path, name, at, entry, lines, rules[name], mistakes)
            if len(entries) > _MAX_RULES:
                line = lines.get((name, _MAX_RULES), 1)
                mistakes.append(f"{path}:{line}: at most {_MAX_RULES} rules [[{name}]] count; remove some")
    digest = hashlib.sha256(data).hexdigest()
    return replace(_rules(rules, lines, digest), mistakes=tuple(mistakes[:_MAX_MISTAKES]))


def _check_rule(
    path: Path,
    name: str,
    at: int,
    entry: object,
    lines: Lines,
    rules: dict[int, SettingsSection],
    mistakes: list[str],
) -> None:
    """Add a rule to those that count, or its mistakes to the others."""
    try:
        # As JSON, so that strict types accept a list for a tuple.
        rules[at] = _RULES[name].model_validate_json(json.dumps(entry, default=str))
    except ValidationError as error:
        details = error.errors()
        is_misspelled = any(detail["type"] == "extra_forbidden" for detail in details)  # then a missing key is that one
        mistakes += (
            _complaint(path, lines, (name, at, *detail["loc"]), detail)
            for detail in details
            if not (is_misspelled and detail["type"] == "missing")
        )


def _unusable(data: bytes, mistake: str) -> CurationRules:
    return CurationRules(digest=hashlib.sha256(data).hexdigest(), mistakes=(mistake,))


def _tables(path: Path, text: str) -> tuple[JsonObject, list[str]]:
    """Parse a file; if it is not TOML, parse each of its rules, and keep the place of one that is not."""
    try:
        return tomllib.loads(text), []
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        first_error = error
    tables: JsonObject = {}
    mistakes = []
    starts = [match.start() for match in _RULE.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        above = text.count("\n", 0, start)
        name = _RULE.match(text, start)
        assert name is not None
        try:
            part = tomllib.loads(text[start:end]).get(name[1])
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            mistakes.append(f"{path}:{_line_of(error, text[start:end]) + above}: {_NO_TOML}: {error}")
            part = [None]
        if isinstance(part, list):
            tables.setdefault(name[1], []).extend(part)
        else:
            mistakes.append(f"{path}:{above + 1}: {_two_brackets(name[1])}")
            tables.setdefault(name[1], []).append(None)
    return tables, mistakes or [f"{path}:{_line_of(first_error, text)}: {_NO_TOML}: {first_error}"]


def _rules(rules: Mapping[str, Mapping[int, SettingsSection]], lines: Lines, digest: str) -> CurationRules:
    def line(table: str, number: int) -> int:
        return lines.get((table, number)) or lines.get((table,), 1)

    pages: list[PageRule] = []
    synonyms: list[SynonymRule] = []
    for name, entries in rules.items():
        for at, rule in entries.items():
            match rule:
                case _Pin() | _Hide():
                    effect: Effect = "pin" if name == "pin" else "hide"
                    pages.append(PageRule(effect, line(name, at), rule.query, rule.pages, 1.0, rule.until))
                case _Boost():
                    pages.append(PageRule("boost", line(name, at), rule.query, rule.path, rule.factor, rule.until))
                case _SynonymGroup():
                    synonyms.append(SynonymRule(line(name, at), rule.words, rule.until))
    return CurationRules(tuple(sorted(pages, key=lambda rule: rule.line)), tuple(synonyms), digest)


def _lines(text: str) -> Lines:
    lines: dict[tuple[str | int, ...], int] = {}
    tables = Counter[str]()
    for number, (table, *keys) in statements(text):
        lines.setdefault((table,), number)
        if keys:
            lines.setdefault((table, tables[table] - 1, keys[0]), number)
        else:
            lines[table, tables[table]] = number
            tables[table] += 1
    return lines


def _line_of(error: Exception, text: str) -> int:
    """Return the line in the parser's message; the last line if there is none."""
    match = re.search(r"at line (\d+)", str(error))
    return int(match[1]) if match else len(text.splitlines())


def _complaint(path: Path, lines: Lines, keys: tuple[str | int, ...], detail: ErrorDetails) -> str:
    line = next((lines[keys[:end]] for end in (3, 2, 1) if keys[:end] in lines), 1)
    name = ".".join(str(key) for key in (keys[0], *keys[2:3]))
    if detail["type"] == "extra_forbidden":
        nearest = _nearest(str(keys[-1]), _RULES[str(keys[0])].model_fields)
        return f"{path}:{line}: unknown key {name}; did you mean {nearest}?"
    return f"{path}:{line}: {name}: {explain_mistake(detail)}"


def _two_brackets(name: str) -> str:
    return f"each rule is a table [[{name}]], with two brackets"


def _nearest(name: str, names: Iterable[str]) -> str:
    [nearest] = difflib.get_close_matches(name, list(names), n=1, cutoff=0.0)
    return nearest
