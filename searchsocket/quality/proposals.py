"""Propose golden queries from recent searches and their results."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from searchsocket.quality.golden import GoldenQuery


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
