"""Whatever is sent to a tool, it answers, or refuses with a code that can be acted on."""

import random
import string
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import pytest
from mcp.client.client import Client

from searchsocket.agents.arguments import schema_of
from searchsocket.agents.toolset import TOOLS

CALLS = 40  # a tool, here; 10,000 were made by hand
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
    "pathOrUrl": ("/docs/battery", "/", "https://example.com/docs/install"),
    "scope": ("", "main"),
    "question": ("How long does the battery last?",),
    "continuation_token": ("",),
    "continuationToken": ("",),
    "chunk_id": ("",),
    "max_tokens": (0, 200),
    "maxTokens": (0, 200),
}


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


def arguments(pick: random.Random, properties: Mapping[str, Mapping[str, Any]], required: list[str]) -> dict[str, Any]:
    sent = {}
    for name, field in properties.items():
        if name in required or pick.random() < 0.5:
            sensible, chance = SENSIBLE.get(name, field.get("examples", ())), pick.random()
            if sensible and chance < 0.6:
                sent[name] = pick.choice(sensible)
            else:
                sent[name] = fitting(pick, field) if chance < 0.9 else value(pick)
    if pick.random() < 0.05:
        sent[pick.choice(("topk", "x", "", "\u202e"))] = value(pick)
    return sent


async def fuzz(client: Client, tool: str, seed: int, calls: int) -> dict[str, int]:
    """How often each code came of calls of a tool; "" for answers."""
    pick = random.Random(seed)
    schema = next(schema_of(one.takes) for one in TOOLS if one.name == tool)
    codes: dict[str, int] = {}
    for _ in range(calls):
        sent = arguments(pick, schema["properties"], schema.get("required", []))
        sent = {name.encode("utf-8", "replace").decode(): one for name, one in sent.items()}
        try:
            found = await client.session.call_tool(tool, sent)
        except (UnicodeEncodeError, ValueError):  # the client cannot send it
            continue
        error = found.structured_content.get("error") if found.is_error else None
        assert found.is_error == bool(error)
        code = error["code"] if error else ""
        assert code != "INTERNAL_ERROR", sent
        codes[code] = codes.get(code, 0) + 1
    return codes


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_every_call_is_answered_or_refused_with_a_code(agent_server: Any, tool: str) -> None:
    async def run() -> dict[str, int]:
        async with Client(agent_server, mode="2026-07-28") as client:
            return await fuzz(client, tool, seed=18, calls=CALLS)

    codes = anyio.run(run)
    assert sum(codes.values()) > CALLS // 2
    assert codes.get("", 0) > 0
    assert len(codes) > 1
