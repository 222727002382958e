"""Probe an MCP server as a client does: start it, list its tools, call one."""

import os
import tempfile
from pathlib import Path
from typing import TextIO

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

_TIMEOUT_S = 60.0
_MAX_LINES = 5  # of the server's stderr
_CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    ("search", {"query": "install"}),
    ("status", {}),
)  # the first offered one is called


Step = tuple[bool, str, str]  # succeeded, name, explanation


def probe_server(program: str, arguments: list[str], environ: dict[str, str], folder: Path) -> list[Step]:
    """Run the steps up to the first that fails.

    Args:
        environ: Added to the environment of this process.
        folder: Working directory of the server.
    """
    parameters = StdioServerParameters(command=program, args=arguments, env={**os.environ, **environ}, cwd=str(folder))
    steps: list[Step] = []

    async def talk(errors: TextIO) -> None:
        with anyio.fail_after(_TIMEOUT_S):
            async with Client(stdio_client(parameters, errlog=errors)) as client:
                steps.append((True, "start", f"protocol {client.protocol_version}"))
                names = [tool.name for tool in (await client.list_tools()).tools]
                steps.append((bool(names), "tools", ", ".join(names) or "none; see mcp.tools"))
                for name, sent in ((name, sent) for name, sent in _CALLS if name in names):
                    answer = await client.call_tool(name, sent)
                    lines = next((item.text for item in answer.content if item.type == "text"), "").splitlines()
                    first = next((line for line in lines if line and not line.startswith("Project ")), "")
                    steps.append((not answer.is_error, "answer", f"{name}: {first}"))
                    return

    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            anyio.run(talk, errors)
        except Exception as error:  # noqa: BLE001  (any error of the client's program is reported)
            errors.seek(0)
            last_lines = [line.strip() for line in errors.read().splitlines() if line.strip()][-_MAX_LINES:]
            steps.append((False, "talk" if steps else "start", "; ".join(last_lines) or _reason(error)))
    return steps


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return f"no answer within {_TIMEOUT_S:.0f} s"
    return str(error) or type(error).__name__
