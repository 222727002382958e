"""What a call of a tool has to say for a task, and whether one does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from searchsocket.agents.arguments import read_arguments
from searchsocket.agents.toolset import TOOLS
from searchsocket.errors import InvalidRequest

SIZES = frozenset({"top_k", "limit", "max_tokens"})  # may be sent with any call: they change how much comes back


class Words(tuple[str, ...]):
    """Words that a text, or the texts of a list, must hold in any case and order."""

    def __new__(cls, *words: str) -> "Words":
        return super().__new__(cls, words)


class Only(tuple[str, ...]):
    """Spellings of which one must be sent."""

    def __new__(cls, *texts: str) -> "Only":
        return super().__new__(cls, texts)


@dataclass(frozen=True)
class Call:
    """A tool and what must be among its arguments; others than `may` and sizes must not be, since they narrow."""

    tool: str
    must: Mapping[str, Any]  # name as the code has it -> a value, or `Words`, or `Only`
    may: frozenset[str] = frozenset()

    def missed(self, tool: str, sent: Mapping[str, Any]) -> str:
        """What is wrong with a call; "" where nothing is. It is read as the server would read it."""
        if tool != self.tool:
            return f"{tool} instead of {self.tool}"
        try:
            asked = read_arguments(TOOLS[tool].takes, sent)
        except InvalidRequest as error:
            return f"refused: {error}"
        values = asked.model_dump(exclude_defaults=True)
        wrong = [
            f"{name}: {values.get(name)!r} instead of {wanted!r}"
            for name, wanted in self.must.items()
            if not _is_meant(getattr(asked, name), wanted)
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
        """What is wrong with a call; "" where it is right."""
        found = [call.missed(tool, sent) for call in (self.call, *self.others)]
        return "" if "" in found else found[0]


def _is_meant(value: object, wanted: object) -> bool:
    if isinstance(wanted, Words):
        text = " ".join(value) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
        return all(word.casefold() in text.casefold() for word in wanted)
    if isinstance(wanted, Only):
        return value in wanted
    if isinstance(wanted, list):
        return isinstance(value, list) and set(wanted) == set(value)
    return value == wanted
