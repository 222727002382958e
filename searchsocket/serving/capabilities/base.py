"""A capability: its request, its answer, how it runs, what it costs and who may call it."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel

from searchsocket.search.wire import Wire
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Scope

if TYPE_CHECKING:  # a command loads only the service that it needs
    from searchsocket.project.project import Project
    from searchsocket.serving.content import ContentService
    from searchsocket.serving.parts import Part
    from searchsocket.serving.scopes import ReadableScopes
    from searchsocket.serving.service import SearchService


@dataclass(frozen=True, slots=True)
class Caller:
    """One client, as far as it can be identified."""

    trusted: bool  # may read every scope and the paths of source files
    address: str = ""  # counted by the rate limit
    is_agent: bool = False  # gets an answer of 8,000 tokens at most, unless it requests another size


AGENT = Caller(trusted=True, is_agent=True)
SHELL = Caller(trusted=True)  # the user of the command line


def utc_now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


class Services(NamedTuple):
    """The services of one project, opened by the first call that needs them."""

    project: "Project"
    scopes: "ReadableScopes"
    search: "Callable[[], SearchService]"
    content: "Callable[[], ContentService]"
    parts: "Mapping[str, Callable[[], Part]]"  # of extensions, by name
    clock: Callable[[], datetime] = utc_now

    def scope(self, name: str | None, caller: Caller) -> Scope:
        """Return the scope of a request; None is the default scope.

        Raises:
            InvalidScope: The name is not a valid scope name.
            ScopeRefused: The caller may not read it.
        """
        return self.scopes.find(name, trusted=caller.trusted)


def merged_options(sent: JsonObject) -> JsonObject:
    """Merge `opts`, an object with further arguments, into the arguments; a name in both stays an error."""
    options = sent.get("opts")
    if not isinstance(options, dict) or options.keys() & sent.keys():
        return sent
    return {name: value for name, value in sent.items() if name != "opts"} | options


class Request(BaseModel):
    """Base of the requests: camelCase in JSON, snake_case in Python."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _merge_options(cls, sent: object) -> object:
        return merged_options(sent) if isinstance(sent, dict) else sent


R = TypeVar("R", bound=Request)
A = TypeVar("A", bound=Wire)
Q = TypeVar("Q")
Fields = Mapping[str, tuple[object, object]]  # name -> type with its bounds and description, default


def query_of(kind: type[Q], request: Request, **changes: object) -> Q:
    """Return the engine's query: the fields of the request that have the same name; None is the query's default."""
    values = {each.name: getattr(request, each.name, None) for each in fields(kind)}  # type: ignore[arg-type]
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return kind(**({name: value for name, value in plain.items() if value is not None} | changes))


Operation = tuple[str, str]  # id and summary in the OpenAPI document


@dataclass(frozen=True, slots=True)
class Http:
    """The endpoint of a capability."""

    path: str  # below the prefix of the API; "" is `api.path`
    post: Operation | None = None
    get: Operation | None = None
    # Field -> name in the query string, type, default: only those that differ from the body.
    parameters: Mapping[str, tuple[str, object, object]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Agent:
    """The MCP tool of a capability; its answer as text is in `agents/tools.py`."""

    name: str
    task: str  # what it is for, in the list of `skill.md`
    arguments: Sequence[str]  # fields of the request, in the order of the schema
    toolset: Literal["core", "content"] = "content"  # `core` is offered by default
    corpus: str = ""  # the only one that it searches; not offered where that has no content
    is_writing: bool = False  # False: the only change is an update of the code index
    spelling: Fields = field(default_factory=dict)  # arguments whose bounds or descriptions differ for agents
    constants: Mapping[str, object] = field(default_factory=dict)  # fields that agents do not choose
    ignored: Mapping[str, object] = field(default_factory=dict)  # arguments without a meaning that may be sent
    translate: Callable[[JsonObject], JsonObject] = lambda values: values  # arguments to fields of the request
    title: str = ""  # "" = the summary of the endpoint
    instruction: str = ""  # a sentence about it in the instructions of the server


def _unknown(*_: object) -> float:
    return math.inf


@dataclass(frozen=True)
class Capability(Generic[R, A]):
    """One thing that callers can request."""

    run: Callable[[Services, R, Caller], A]  # its docstring tells agents when to call it and what it returns
    http: Http
    hits: Callable[[A], int] | None = None  # results in an answer, for logs and metrics
    agent: Agent | None = None
    cost: Callable[[Services, R, Caller], float] = _unknown  # in plain searches
    is_instant: Callable[[Services, R, Caller], bool] = lambda *_: False  # takes a few milliseconds, waits for nothing
    generation: Callable[[A], tuple[str, str] | None] = lambda _: None  # scope and generation that a cache may keep
    private: str = ""  # the content that needs the key, e.g. "source code"; "" = anyone may call it

    @cached_property
    def request(self) -> type[R]:
        """The type of the request, from `run`."""
        kind: type[R] = self.run.__annotations__["request"]
        return kind

    @cached_property
    def answer(self) -> type[A]:
        """The type of the answer, from `run`."""
        kind: type[A] = self.run.__annotations__["return"]
        return kind

    @property
    def title(self) -> str:
        """The title for agents."""
        operation = self.http.post or self.http.get
        return (self.agent and self.agent.title) or (operation[1] if operation else "")

    @property
    def description(self) -> str:
        """The docstring of `run`."""
        return inspect.getdoc(self.run) or ""


AnyCapability: TypeAlias = Capability[Any, Any]
