"""Format of `curation.toml`: the owner's rules for results, with their line numbers."""

import difflib
import hashlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from searchsocket.errors import ConfigError, InvalidRequest
from searchsocket.project.settings.model import SynonymGroup, check_synonyms
from searchsocket.project.settings.origins import statements
from searchsocket.project.settings.section import SettingsSection, listed
from searchsocket.text.words import fold
from searchsocket.web.urls.paths import canonical_path, page_path

FILE_NAME = "curation.toml"
_MAX_BYTES = 1_000_000
_MAX_RULES = 500  # of each kind
_MAX_CHARS = 200  # of a query
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


class _File(SettingsSection):
    pin: Annotated[tuple[_Pin, ...], Field(max_length=_MAX_RULES)] = ()
    hide: Annotated[tuple[_Hide, ...], Field(max_length=_MAX_RULES)] = ()
    boost: Annotated[tuple[_Boost, ...], Field(max_length=_MAX_RULES)] = ()
    synonyms: Annotated[tuple[_SynonymGroup, ...], Field(max_length=_MAX_RULES)] = ()


_RULES: Mapping[str, type[SettingsSection]] = {"pin": _Pin, "hide": _Hide, "boost": _Boost, "synonyms": _SynonymGroup}
Lines = Mapping[tuple[str | int, ...], int]  # (table, its number, key) -> line


def read_curation(path: Path) -> CurationRules:
    """Read a file of rules.

    Raises:
        ConfigError: The file cannot be read, or a rule is not valid; the message names the line.
        FileNotFoundError: The file does not exist.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"{path} is larger than {_MAX_BYTES:,} bytes, too large for rules")
    try:
        text = data.decode()
        tables = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: is not UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}:{_line_of(error, text)}: is not valid TOML: {error}") from error
    lines = _lines(text)
    try:
        # As JSON, so that strict types accept a list for a tuple.
        file = _File.model_validate_json(json.dumps(tables, default=str))
    except ValidationError as error:
        raise ConfigError("; ".join(_complaint(path, lines, detail) for detail in _mistakes(error)[:5])) from error
    return _rules(file, lines, hashlib.sha256(data).hexdigest())


def _rules(file: _File, lines: Lines, digest: str) -> CurationRules:
    def line(table: str, number: int) -> int:
        return lines.get((table, number)) or lines[table,]

    pages = [
        *(PageRule("pin", line("pin", at), pin.query, pin.pages, 1.0, pin.until) for at, pin in enumerate(file.pin)),
        *(
            PageRule("hide", line("hide", at), hide.query, hide.pages, 1.0, hide.until)
            for at, hide in enumerate(file.hide)
        ),
        *(
            PageRule("boost", line("boost", at), boost.query, boost.path, boost.factor, boost.until)
            for at, boost in enumerate(file.boost)
        ),
    ]
    synonyms = (SynonymRule(line("synonyms", at), group.words, group.until) for at, group in enumerate(file.synonyms))
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


def _mistakes(error: ValidationError) -> list[ErrorDetails]:
    """Return the errors, without missing keys of tables that have a misspelled key."""
    misspelled = {detail["loc"][:2] for detail in error.errors() if detail["type"] == "extra_forbidden"}
    return [detail for detail in error.errors() if detail["type"] != "missing" or detail["loc"][:2] not in misspelled]


def _complaint(path: Path, lines: Lines, detail: ErrorDetails) -> str:
    keys = detail["loc"]
    line = next((lines[keys[:end]] for end in (3, 2, 1) if keys[:end] in lines), 1)
    name = ".".join(str(key) for key in (keys[0], *keys[2:3]))
    if detail["type"] == "extra_forbidden":
        names = list(_RULES[str(keys[0])].model_fields) if len(keys) > 1 else list(_RULES)
        [nearest] = difflib.get_close_matches(str(keys[-1]), names, n=1, cutoff=0.0)
        return f"{path}:{line}: unknown key {name}; did you mean {nearest}?"
    if len(keys) == 1 and detail["type"] == "tuple_type":
        return f"{path}:{line}: each rule is a table [[{name}]], with two brackets"
    return f"{path}:{line}: {name}: {detail['msg'].removeprefix('Value error, ')}"
