"""Whatever is sent to a tool, it answers, or refuses with a code that can be acted on."""

import os
import random
import string
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import anyio
import pytest
from mcp.client.client import Client

from searchsocket.agents.arguments import schema_of
from searchsocket.agents.tools import TOOLS

CALLS = int(os.environ.get("SEARCHSOCKET_FUZZ_CALLS", "40"))  # a tool
TEXTS = (
    "", " ", "/", "//", "..", "../../etc/passwd", "main", "main/site", "/site", "attic", "null", "[]", '["a"]', "{}",
    "1-9", "9-1", "0", "-1", "99999999999", "\x00", "\u202e", "é" * 50, "a" * 5_000, "%2e%2e%2f", "*", "[", "**/*.ts",
    "\n", "?", "#", "&scope=x", "x@y", "eyJhIjoxfQ", "searchsocket://page/", "'; drop table", "<script>", "🜁", "\u0001",
)  # fmt: skip
SENSIBLE: dict[str, tuple[Any, ...]] = {
    "folder_id": ("site", "code", "main/site"),
    "file_path": ("docs/battery.md", "src/auth/token.ts"),
    "file": ("src/auth/token.ts", "src/steps.py"),
    "lines": ("1-9", "3", "40-60"),
    "ids": ([],),
    "url": ("/docs/battery", "/", "https://example.com/docs/install"),
    "scope": ("", "main"),
    "question": ("How long does the battery last?",),
    "continuation_token": ("",),
    "chunk_id": ("",),
    "max_tokens": (0, 200),
}


TOKENS_BY_FIELD = {
    "continuationToken": ("continuation_token",),
    "next_token": ("continuation_token",),
    "continuation_token": ("continuation_token",),
    "chunk_id": ("chunk_id",),
    "file_path": ("file_path",),
    "id": ("ids",),
    "file": ("file",),
    "url": ("url",),
}  # what of an answer goes into which argument
_MAX_VALUES = 30
ValidValues = defaultdict[str, set[str]]


def value(pick: random.Random, depth: int = 0) -> Any:
    """Something that JSON can say."""
    simple: list[Callable[[], Any]] = [
        lambda: pick.choice(TEXTS),
        lambda: pick.choice((0, 1, -1, 5, 20, 51, 200, 2**63, 1.5, 1e308, True, False, None)),
        lambda: "".join(pick.choices(string.printable, k=pick.randint(0, 30))),
    ]
    if depth < 2 and pick.random() < 0.3:
        return [value(pick, depth + 1) for _ in range(pick.randint(0, 25))]
    if depth < 2 and pick.random() < 0.1:
        return {str(n): value(pick, depth + 1) for n in range(3)}
    return pick.choice(simple)()


def fitting(pick: random.Random, field: Mapping[str, Any]) -> Any:
    """Something of the right type, more often than not within its bounds."""
    match field["type"]:
        case "integer":
            return pick.choice((0, 1, 5, field.get("maximum", 9), field.get("maximum", 9) + 1))
        case "boolean":
            return pick.random() < 0.5
        case "array":
            return [pick.choice(TEXTS[1:]) for _ in range(pick.randint(0, 3))]
    return pick.choice(TEXTS)


def names_in(answer: Any) -> Iterator[tuple[str, str]]:
    """The ids and tokens that an answer gives for the next call, with the argument that takes them."""
    for key, one in (
        answer.items() if isinstance(answer, dict) else enumerate(answer if isinstance(answer, list) else ())
    ):
        if isinstance(one, str) and key in TOKENS_BY_FIELD:
            yield from ((argument, one) for argument in TOKENS_BY_FIELD[key])
        yield from names_in(one)


def arguments(
    pick: random.Random, properties: Mapping[str, Mapping[str, Any]], required: list[str], valid_values: ValidValues
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    for name, field in properties.items():
        if name in required or pick.random() < 0.5:
            sensible, chance = SENSIBLE.get(name, field.get("examples", ())), pick.random()
            if valid_values[name] and pick.random() < 0.5:
                one = pick.choice(sorted(valid_values[name]))
                headers[name] = (
                    one if pick.random() < 0.7 else one.replace(pick.choice(one), pick.choice(string.printable), 1)
                )
                if field["type"] == "array":
                    headers[name] = [headers[name]]
                continue
            if sensible and chance < 0.6:
                headers[name] = pick.choice(sensible)
            else:
                headers[name] = fitting(pick, field) if chance < 0.9 else value(pick)
    if pick.random() < 0.05:
        headers[pick.choice(("topk", "x", "", "\u202e"))] = value(pick)
    return headers


async def fuzz(client: Client, tool: str, seed: int, calls: int) -> dict[str, int]:
    """Call a tool with random arguments, and count the calls per error code; "" counts answers."""
    pick = random.Random(seed)
    schema = schema_of(TOOLS[tool].takes)
    codes: dict[str, int] = {}
    valid_values: ValidValues = defaultdict(set)
    for _ in range(calls):
        payload = arguments(pick, schema["properties"], schema.get("required", []), valid_values)
        payload = {name.encode("utf-8", "replace").decode(): one for name, one in payload.items()}
        try:
            answer = await client.session.call_tool(tool, payload)
        except (UnicodeEncodeError, ValueError):  # the client cannot send it
            continue
        error = answer.structured_content.get("error") if answer.is_error else None
        assert answer.is_error == bool(error)
        code = error["code"] if error else ""
        assert code != "INTERNAL_ERROR", payload
        codes[code] = codes.get(code, 0) + 1
        for name, one in names_in(answer.structured_content):
            if one and len(valid_values[name]) < _MAX_VALUES:
                valid_values[name].add(one)
    return codes


@pytest.mark.parametrize("tool", list(TOOLS))
def test_every_call_is_answered_or_refused_with_a_code(agent_server: Any, tool: str) -> None:
    async def run() -> dict[str, int]:
        async with Client(agent_server, mode="2026-07-28") as client:
            return await fuzz(client, tool, seed=18, calls=CALLS)

    codes = anyio.run(run)
    print(tool, codes)
    assert sum(codes.values()) > CALLS // 2
    assert codes.get("", 0) > 0
    assert len(codes) > 1
