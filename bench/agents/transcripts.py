"""What a coding agent reads on its way through a repository: `python -m bench.agents.transcripts PROJECT OUT`.

PROJECT is a checkout of a site, pages and code indexed. The official client holds the same conversation over stdin and
stdout and over HTTP, in both eras of the protocol: it finds the page about a thing, reads it, follows it to its route
file, finds the code, fetches it, asks, goes on with what is long, and meets each error that a call can get of a sound
index. Four transcripts come to OUT, to be read by eye, and it is said where they differ. What is asked by default is
of janosh/svelte-multiselect at 5209c96; `--subject FILE` is JSON with the fields of `Subject`.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

COMMAND = str(Path(sys.executable).with_name("searchsocket"))
_ALL = ("--tools", "all", "--structured-content")  # each call takes what an answer before it gave as data
ERAS = ("legacy", "2026-07-28")  # the client's mode: what is spoken
_PASSING = re.compile(r"indexed (?:[^)\n;]* ago|just now)|, branch [^;)\n]+|[A-Za-z0-9_-]{60,}|\"ageSeconds\": [0-9.]+")


@dataclass(frozen=True)
class Subject:
    """What one repository is asked for."""

    page: str = "how are options grouped in the multiselect"
    code: str = "which selected options are removed with the backspace key"
    file: str = "src/lib/MultiSelect.svelte"  # a long one
    term: str = "maxSelect"
    question: str = "Which event is fired when an option is removed?"
    absent: str = "Which colours has the flag of Mongolia?"


class Transcript:
    """A conversation, as the agent reads it."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.lines: list[str] = []
        self.codes: set[str] = set()  # of errors that were met

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a call gives as data; its text is written down."""
        self.lines.append(f"\n### {tool} {json.dumps(arguments, ensure_ascii=False)}")
        try:
            found = await self._client.call_tool(tool, arguments)
        except MCPError as error:
            self.lines.append(f"[refused by the protocol, {error.error.code}] {error.error.message}")
            return {}
        self.lines += [f"{'[is an error] ' if found.is_error else ''}{one.text}" for one in found.content]  # type: ignore[union-attr]
        data: dict[str, Any] = found.structured_content or {}
        if found.is_error:
            self.codes.add(data["error"]["code"])
        return data

    async def read(self, uri: str) -> None:
        """A resource."""
        self.lines.append(f"\n### resource {uri}")
        try:
            self.lines += [one.text for one in (await self._client.read_resource(uri)).contents]  # type: ignore[union-attr]
        except MCPError as error:
            self.lines.append(f"[refused by the protocol, {error.error.code}] {error.error.message}")


async def conversation(client: Client, about: Subject) -> Transcript:
    """All of it; each call takes what an answer before it gave."""
    told = Transcript(client)
    listed = await client.list_tools()
    told.lines.append(f"tools: {', '.join(tool.name for tool in listed.tools)}")
    found = await told.call("search", query=about.page, limit=3)
    url, route = found["results"][0]["url"], found["results"][0]["routeFile"]
    page = await told.call("get_page", url=url, max_tokens=600)
    if token := page["continuationToken"]:
        await told.call("get_page", url=url, max_tokens=600, continuation_token=token)
    await told.call("fetch", file=route, lines="1-20")
    await told.call("related", url=url, limit=3)
    first = await told.call("search", query=about.page, limit=8, max_tokens=300)
    await told.call("search", query=about.page, max_tokens=300, continuation_token=first["continuationToken"])

    code = await told.call("search_code", query=about.code, limit=2)
    await told.call("fetch", ids=[code["results"][0]["id"]])
    part = await told.call("fetch", file=about.file, max_tokens=400)
    if part["left"]:
        left = part["left"][0]
        await told.call("fetch", file=left["file"], lines=f"{left['firstLine']}-{left['lastLine']}", max_tokens=400)

    answer = await told.call("ask", question=about.question, limit=2, max_tokens=250)
    if token := answer["continuationToken"]:
        await told.call("ask", question=about.question, continuation_token=token)
    await told.call("ask", question=about.absent)

    exact = await told.call("search_content", folder_id="site", exact_terms=[about.term], limit=2)
    token = exact["continuation"]["next_token"]
    await told.call("search_content", folder_id="site", continuation_token=token)
    await told.call(
        "search_content", folder_id="code", semantic_concepts=[about.code], exact_terms=[about.term], limit=1
    )
    documents = await told.call("find_documents", folder_id="site", query=about.page, limit=2)
    path = documents["data"]["documents"][0]["file_path"]
    outline = await told.call("get_document_data", folder_id="site", file_path=path, max_tokens=400)
    chunk = outline["data"]["chunks"][-1]["chunk_id"]
    await told.call("get_document_text", folder_id="site", file_path=path, chunk_id=chunk, max_tokens=300)

    await told.read(f"searchsocket://page{url}")
    reference = ResourceTemplateReference(uri="searchsocket://file/{+path}{?scope}")
    typed = await client.complete(reference, {"name": "path", "value": about.file[:-4]})
    told.lines.append(f"\n### completion of {about.file[:-4]!r}: {typed.completion.values}")
    await _errors(told, url, path, about, token)
    return told


async def _errors(told: Transcript, url: str, path: str, about: Subject, token: str) -> None:
    """Each of those that a sound index gives, in the ways in which an agent gets them."""
    told.lines.append("\n## What is wrong")
    await told.call("search", words=about.page)
    await told.call("search", query=about.page, limit=500)
    await told.call("search", query="", path_prefix="/")
    await told.call("search", query=about.page, scope="no-such-branch")
    await told.call("search", query=about.page, scope="///")
    await told.call("get_page", url=url[:-1])
    await told.call("get_page", url=url, continuation_token="abc")
    await told.call("related", url="/no/such/page")
    await told.call("fetch", file="src/no-such-file.ts")
    await told.call("fetch", file="../../../etc/passwd")
    await told.call("fetch", file=about.file, lines="90000-90010")
    await told.call("fetch", ids=["1"])
    await told.call("search_code", query=about.code, languages=["klingon"])
    await told.call("search_content", folder_id="docs", exact_terms=[about.term])
    await told.call("search_content", folder_id="site")
    await told.call("search_content", folder_id="site", exact_terms=["other"], continuation_token=token)
    await told.call("get_document_text", folder_id="site", file_path="no/such.md")
    await told.call("get_document_text", folder_id="site", file_path=path, chunk_id=f"{url}#x~0@000000000000")
    await told.call("delete_index", scope="main")
    await told.read("searchsocket://page/no/such/page")
    told.lines.append("\n## What is none")
    await told.call("search", query="zxqv blorf wibble")
    await told.call("search_code", query="zxqv blorf wibble")
    await told.call("search_content", folder_id="site", exact_terms=["zxqvBlorf"])
    await told.call("find_documents", folder_id="site", query="zxqv blorf wibble")


def over_stdio(project: Path) -> Any:
    """A server of one's own."""
    return stdio_client(StdioServerParameters(command=COMMAND, args=["mcp", *_ALL], cwd=str(project)))


def over_http(address: str, key: str) -> Any:
    """A service that runs."""
    return streamable_http_client(address, http_client=httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}))


def held(transport: Any, mode: str, about: Subject) -> Transcript:
    """A conversation over a transport."""

    async def run() -> Transcript:
        async with Client(transport, mode=mode) as client:
            return await conversation(client, about)

    return anyio.run(run)


def lasting(lines: list[str]) -> list[str]:
    """A transcript without what may differ: ages, tokens, and the branch that one's own server is on."""
    return [_PASSING.sub("…", line) for text in lines for line in text.splitlines()]


@contextmanager
def service(project: Path) -> Iterator[tuple[str, str]]:
    """The address and the key of a service of the project."""
    command = [COMMAND, "serve", "--mcp", "--port", "0", "--project", str(project)]
    environ = {**os.environ, "SEARCHSOCKET__MCP__TOOLS": "all", "SEARCHSOCKET__MCP__STRUCTURED_CONTENT": "true"}
    served = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ)
    try:
        assert served.stdout
        line = served.stdout.readline()
        address = next(word for word in line.split() if word.startswith("http")).rstrip("/")
        yield f"{address}/mcp", (project / ".searchsocket" / "serve.token").read_text().strip()
    finally:
        served.terminate()
        served.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path, metavar="PROJECT")
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--subject", type=Path, metavar="FILE")
    asked = parser.parse_args()
    about = Subject(**json.loads(asked.subject.read_text())) if asked.subject else Subject()
    told: dict[str, Transcript] = {}
    with service(asked.project.resolve()) as (address, key):
        for mode in ERAS:
            told[f"stdio-{mode}"] = held(over_stdio(asked.project), mode, about)
            told[f"http-{mode}"] = held(over_http(address, key), mode, about)
    asked.out.mkdir(parents=True, exist_ok=True)
    first = next(iter(told.values()))
    for name, one in told.items():
        (asked.out / f"{name}.txt").write_text("\n".join(one.lines) + "\n")
        different = list(difflib.unified_diff(lasting(first.lines), lasting(one.lines), lineterm="", n=0))
        print(f"{name}: {len(lasting(one.lines))} lines, errors {', '.join(sorted(one.codes))}")
        print("\n".join(different))


if __name__ == "__main__":
    main()
