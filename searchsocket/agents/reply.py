"""Answer of a tool: text for a model, and the same content as data."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from searchsocket.agents.data import visible, visible_in
from searchsocket.errors import PageMissing, ScopeNotIndexed, SearchSocketError
from searchsocket.search.answer import Note
from searchsocket.search.wire import Wire
from searchsocket.serving.answer_json import to_json
from searchsocket.serving.public_words import INTERNAL
from searchsocket.text.token_count import count_tokens

W = TypeVar("W", bound=Wire)
_CALL = re.compile(r"\b([a-z]+(?:_[a-z]+)*)\(")


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; an error is one too."""

    text: str
    data: dict[str, Any]
    actions: tuple[str, ...] = ()  # calls of tools that may come next
    is_error: bool = False

    def tokens(self, few: int) -> int:
        """About how many tokens it is, as text and as data; not counted where its bytes are no more than `few`."""
        data = json.dumps(self.data, ensure_ascii=False)
        size = len(self.text.encode("utf-8", "replace")) + len(
            data.encode("utf-8", "replace")
        )  # no token is less than a byte
        return size if size <= few else count_tokens(self.text) + count_tokens(data)

    def with_notes(self, notes: Sequence[Note]) -> "Reply":
        """The reply with further notes, also as data where its data has some."""
        if not notes:
            return self
        lines = [f"\nNote {note.code}: {visible(note.message)}" for note in notes]
        data = [{"code": note.code, "message": visible(note.message)} for note in notes]
        merged = {**self.data, "notes": [*self.data["notes"], *data]} if "notes" in self.data else self.data
        return replace(self, text="\n".join([self.text, *lines]), data=merged)

    def of_project(self, name: str) -> "Reply":
        """The reply with the name of its project, which the calls that may come next name too; "" adds nothing."""
        if not name:
            return self
        argument = f"project={json.dumps(name, ensure_ascii=False)}"
        actions = (_CALL.sub(lambda begin: f"{begin[0]}{argument}, ", one, count=1) for one in self.actions)
        text = f"Project {visible(name)}; name it as `project` in calls that follow up.\n{self.text}"
        return replace(self, text=text, data={**self.data, "project": visible(name)}, actions=tuple(actions))

    def with_actions_of(self, names: Collection[str]) -> "Reply":
        """The reply with those actions alone whose tools are offered."""
        if not self.actions:
            return self
        actions = [one for one in self.actions if not _CALL.search(one) or _CALL.findall(one)[0] in names]
        text = "\n".join([self.text, *(["", "Next:"] if actions else []), *(f"- {visible(one)}" for one in actions)])
        hints = self.data.get("navigation_hints", self.data)
        hints["nextActions" if "nextActions" in hints else "next_actions"] = visible_in(actions)
        return replace(self, text=text, actions=())


def reply(text: str, answer: Wire, actions: tuple[str, ...] = ()) -> Reply:
    """The answer, with what hides in its texts made visible."""
    return Reply(text, visible_in(json.loads(to_json(answer, sources=True))), actions)


def same_fields(kind: type[W], source: Wire, **others: object) -> W:
    """Return a dataclass with the fields of the same name of another one."""
    names = [each.name for each in fields(kind) if each.name not in others]  # type: ignore[arg-type]  # a `Wire` is a dataclass
    return kind(**{name: getattr(source, name) for name in names}, **others)


def more_lines(token: str | None) -> Iterator[str]:
    """A line that explains how to get the rest, if there is any."""
    if token:
        yield f"\nThere is more: repeat the call with continuation_token {token}"


def part_lines(*, is_next: bool, is_cut: bool) -> Iterator[str]:
    """A line that names the part, if the answer is not complete."""
    if is_next:
        yield "These continue the previous answer."
    if is_cut:
        yield "The best ones that fit; see below for the rest."


def failure(error: SearchSocketError, indexed: tuple[str, ...] = ()) -> Reply:
    """An error, as something to act on: its code, what is wrong, whether to try again, and what may be meant.

    Args:
        indexed: Scopes that could be asked instead.
    """
    message = str(error)
    suggestions: tuple[str, ...] = tuple(error.suggestions) if isinstance(error, PageMissing) else ()
    lines = [f"{error.code}: {message}"]
    if isinstance(error, ScopeNotIndexed) and indexed:
        suggestions = indexed
        lines.append(f"Indexed scopes: {', '.join(indexed)}")
    elif suggestions:
        lines += ["Similar pages:", *(f"- {one}" for one in suggestions)]
    elif isinstance(error, PageMissing):
        lines.append("No page is similar to it.")
    if error.retryable:
        lines.append("Temporary error: try the same call again in a moment.")
    return _error(lines, error.code, message, suggestions, retryable=error.retryable)


def defect() -> Reply:
    """The answer after an internal error; the details are only in the server's log."""
    return _error([f"{SearchSocketError.code}: {INTERNAL}"], SearchSocketError.code, INTERNAL, (), retryable=False)


def _error(lines: list[str], code: str, message: str, suggestions: tuple[str, ...], *, retryable: bool) -> Reply:
    details = {"code": code, "message": message, "retryable": retryable, "suggestions": list(suggestions)}
    clean: list[str] = visible_in(lines)
    return Reply("\n".join(clean), {"error": visible_in(details)}, is_error=True)
