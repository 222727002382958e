"""The call that fits a task, and the check of a call against it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from searchsocket.agents.arguments import read_arguments
from searchsocket.agents.tools import TOOLS
from searchsocket.errors import InvalidRequest

SIZES = frozenset({"top_k", "limit", "max_tokens"})  # may be sent with any call: they change how much comes back


class Words(tuple[str, ...]):
    """Words that a text, or the texts of a list, must hold in any case and order."""

    def __new__(cls, *words: str) -> "Words":
        return super().__new__(cls, words)


class Only(tuple[str, ...]):
    """Accepted spellings; one of them must be sent."""

    def __new__(cls, *texts: str) -> "Only":
        return super().__new__(cls, texts)


@dataclass(frozen=True)
class Call:
    """A tool and what must be among its arguments; others than `may` and sizes must not be, since they narrow."""

    tool: str
    must: Mapping[str, Any]  # name as the code has it -> a value, or `Words`, or `Only`
    may: frozenset[str] = frozenset()

    def missed(self, tool: str, sent: Mapping[str, Any]) -> str:
        """Return the mistake in a call, read as the server reads it; "" for a right call."""
        if tool != self.tool:
            return f"{tool} instead of {self.tool}"
        try:
            arguments = read_arguments(TOOLS[tool].takes, sent)
        except InvalidRequest as error:
            return f"refused: {error}"
        values = arguments.model_dump(exclude_defaults=True)
        wrong = [
            f"{name}: {values.get(name)!r} instead of {expected!r}"
            for name, expected in self.must.items()
            if not _fits(getattr(arguments, name), expected)
        ]
        extra = values.keys() - self.must.keys() - self.may - SIZES
        return "; ".join([*wrong, *(f"{name} was not asked for: {values[name]!r}" for name in sorted(extra))])


@dataclass(frozen=True)
class Task:
    """One task, with each call that is a right first one."""

    issue: str
    text: str
    call: Call
    others: tuple[Call, ...] = ()

    def missed(self, tool: str, sent: Mapping[str, Any]) -> str:
        """Return the mistake in a call; "" for a right one."""
        mistakes = [call.missed(tool, sent) for call in (self.call, *self.others)]
        return "" if "" in mistakes else mistakes[0]


def _fits(value: object, expected: object) -> bool:
    if isinstance(expected, Words):
        text = " ".join(value) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
        return all(word.casefold() in text.casefold() for word in expected)
    if isinstance(expected, Only):
        return value in expected
    if isinstance(expected, list):
        return isinstance(value, list) and set(expected) == set(value)
    return value == expected
