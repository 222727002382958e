"""Golden queries with their expected pages, for people, the quality gate and the benches; and proposals of new ones."""

import csv
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from searchsocket.errors import ConfigError, ConfigMissing
from searchsocket.pipeline.run.context import corpora_by_name
from searchsocket.search.bounds import MAX_QUERY_CHARS, MAX_TOP_K
from searchsocket.text.mistakes import explain_mistake

FILES = ("golden-queries.toml", "golden-queries.tsv")  # in the project's folder; the first existing one is used
BEST, GOOD = 2, 1  # grades: the first expected place of an entry, and the others
_MAX_BYTES = 5_000_000
_Text = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS)]
_Texts = Annotated[tuple[_Text, ...], Field(max_length=100)]


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """A query with its expected results."""

    query: str
    # Pages, or sections as `/page#anchor`; for code, files, or definitions as `src/file.py#Name`. Best first; empty if
    # the query must find nothing.
    expect: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()  # globs over scope names; empty means all
    tags: tuple[str, ...] = ()  # groups for measures
    k: int = 10  # results that count
    must_not: tuple[str, ...] = ()  # places that must not be among them
    corpus: str = "site"

    @property
    def grades(self) -> dict[str, int]:
        """Grade of each expected page."""
        return dict.fromkeys(self.expect, GOOD) | dict.fromkeys(self.expect[:1], BEST)

    @property
    def answers_nothing(self) -> bool:
        """True if the query must find nothing."""
        return not self.expect and not self.must_not

    def is_of(self, scope: str) -> bool:
        """Return True if the query applies to a scope."""
        return not self.scopes or any(fnmatchcase(scope, glob) for glob in self.scopes)


def golden_file(root: Path, setting: str) -> Path | None:
    """Return the golden queries file of a project; None if it has none.

    Args:
        setting: `golden.file`.

    Raises:
        ConfigMissing: The file in the settings does not exist.
    """
    if not setting:
        return next((root / name for name in FILES if (root / name).is_file()), None)
    if not (root / setting).is_file():
        raise ConfigMissing(f"golden.file names {setting!r}, but this file does not exist in {root}")
    return root / setting


def golden_queries(
    root: Path, setting: str, scope: str | None = None, corpus: str | None = None
) -> tuple[GoldenQuery, ...]:
    """Return the golden queries of a project, or of one of its scopes and corpora; empty if it has no file.

    Raises:
        ConfigMissing, ConfigError: See `golden_file` and `read_golden`.
    """
    path = golden_file(root, setting)
    golden = read_golden(path) if path else ()
    return tuple(query for query in golden if (scope is None or query.is_of(scope)) and corpus in (None, query.corpus))


def read_golden(path: Path) -> tuple[GoldenQuery, ...]:
    """Read the entries of a file: `[[query]]` tables of TOML, or the columns query, target and kind of a .tsv.

    Raises:
        ConfigError: The file cannot be read, or an entry is not valid.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ConfigError(f"{path} is larger than {_MAX_BYTES:,} bytes, too large for golden queries")
        text = path.read_text(encoding="utf-8-sig")
        rows = _table_rows(text) if path.suffix == ".tsv" else _toml_rows(path, text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, csv.Error, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    return _checked(path, rows)


def _table_rows(text: str) -> list[Mapping[str, object]]:
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        {"query": row.get("query") or "", "expect": (row.get("target") or "").split(), "tags": [row.get("kind") or ""]}
        for row in rows
    ]


def _toml_rows(path: Path, text: str) -> Sequence[object]:
    data = tomllib.loads(text)
    if unknown := sorted(data.keys() - {"query"}):
        raise ConfigError(f"{path}: unknown key {unknown[0]!r}; each golden query is a table [[query]]")
    rows = data.get("query", [])
    if not isinstance(rows, list):
        raise ConfigError(f"{path}: each golden query is a table [[query]], with two brackets")
    return rows


class _Entry(BaseModel):
    """An entry of the file; a single string is accepted for a list."""

    model_config = ConfigDict(extra="forbid", strict=True)
    query: _Text
    expect: _Texts = ()
    scope: _Texts = ()
    tags: _Texts = ()
    k: Annotated[int, Field(ge=1, le=MAX_TOP_K)] = 10
    must_not: _Texts = ()
    corpus: str = "site"

    @field_validator("expect", "scope", "tags", "must_not", mode="before")
    @classmethod
    def _accept_string(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value

    @field_validator("expect", "must_not")
    @classmethod
    def _drop_repetition(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value))

    @model_validator(mode="after")
    def _check_places(self) -> "_Entry":
        corpus = corpora_by_name().get(self.corpus)
        if corpus is None:
            raise ValueError(f"corpus: must be {' or '.join(map(repr, corpora_by_name()))}")
        for key, places in (("expect", self.expect), ("must_not", self.must_not)):
            if wrong := next(
                (place for place in places if place.startswith("/") != corpus.place.startswith("/")), None
            ):
                raise ValueError(f"{key}: {wrong!r} is not a {corpus.document}; write its path, such as {corpus.place}")
        return self


def _checked(path: Path, rows: Iterable[object]) -> tuple[GoldenQuery, ...]:
    by_key: dict[tuple[str, tuple[str, ...], str], GoldenQuery] = {}
    for number, row in enumerate(rows, 1):
        try:
            entry = _Entry.model_validate_json(json.dumps(row, default=str))
        except ValidationError as error:
            first = error.errors()[0]
            key, why = ".".join(map(str, first["loc"])), explain_mistake(first)
            raise ConfigError(f"{path}: query {number} ({_label(row)}): {f'{key}: ' if key else ''}{why}") from error
        golden = GoldenQuery(entry.query, entry.expect, entry.scope, entry.tags, entry.k, entry.must_not, entry.corpus)
        query_key = (golden.query, golden.scopes, golden.corpus)
        if query_key in by_key:
            raise ConfigError(f"{path}: query {number} ({_label(row)}) is listed twice; merge the two entries")
        by_key[query_key] = golden
    return tuple(by_key.values())


def _label(row: object) -> str:
    return repr(str(row.get("query", "") if isinstance(row, dict) else row)[:80])


@dataclass(frozen=True, slots=True)
class Searched:
    """A search from the command line of this machine."""

    query: str
    scope: str
    places: tuple[str, ...]  # of its first results, `/page#anchor`


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed entry with the current results; a person has to confirm that they are right."""

    query: str
    expect: tuple[str, ...]
    others: tuple[str, ...]  # further results


def proposals(searches: Iterable[Searched], golden_queries: Iterable[GoldenQuery], scope: str) -> Sequence[Proposal]:
    """Return a proposal for each query of a scope without a golden query.

    A proposal has the results of the newest search; the order is that of the first searches.
    """
    existing = {golden.query for golden in golden_queries}
    newest = {search.query: search for search in searches if search.scope == scope and search.query not in existing}
    return [Proposal(search.query, search.places[:1], search.places[1:]) for search in newest.values()]


def as_toml(proposals: Iterable[Proposal]) -> str:
    """Format proposals as tables to append to golden-queries.toml; further results are comments."""
    lines: list[str] = []
    for proposal in proposals:
        lines += [
            "[[query]]",
            f"query = {toml_text(proposal.query)}",
            f"expect = [{', '.join(map(toml_text, proposal.expect))}]",
        ]
        lines += [f"# other results: {', '.join(map(toml_text, proposal.others))}"] if proposal.others else []
        lines += [""] if proposal.expect else ["# no result; add the page that should answer", ""]
    return "".join(f"{line}\n" for line in lines)


def toml_text(value: str) -> str:
    """Format a basic string of TOML, which has the same escapes as JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
