"""Entries for the golden queries, from what somebody searched and was answered with."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from searchsocket.quality.golden import GoldenQuery


@dataclass(frozen=True, slots=True)
class Searched:
    """A search of this machine's command line."""

    query: str
    scope: str
    places: tuple[str, ...]  # of its first results, `/page#anchor`


@dataclass(frozen=True, slots=True)
class Proposal:
    """An entry as it is now answered; whoever keeps it judges whether that is right."""

    query: str
    expect: tuple[str, ...]
    others: tuple[str, ...]  # what was found behind it


def proposals(searched: Iterable[Searched], golden_queries: Iterable[GoldenQuery], scope: str) -> Sequence[Proposal]:
    """One for each query of a scope that is none yet, the newest search of it, in the order of the first."""
    have = {golden.query for golden in golden_queries}
    newest = {each.query: each for each in searched if each.scope == scope and each.query not in have}
    return [Proposal(each.query, each.places[:1], each.places[1:]) for each in newest.values()]


def as_toml(proposed: Iterable[Proposal]) -> str:
    """Tables to append to a golden-queries.toml; what else was found stands behind in comments."""
    lines: list[str] = []
    for each in proposed:
        lines += [
            "[[query]]",
            f"query = {toml_text(each.query)}",
            f"expect = [{', '.join(map(toml_text, each.expect))}]",
        ]
        lines += [f"# other results: {', '.join(map(toml_text, each.others))}"] if each.others else []
        lines += [""] if each.expect else ["# no result; add the page that should answer", ""]
    return "".join(f"{line}\n" for line in lines)


def toml_text(value: str) -> str:
    """A basic string of TOML, whose escapes JSON's are."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
