"""Transcripts of a coding agent at work in a repository: `python -m bench.agents.transcripts PROJECT OUT`.

PROJECT is a checkout of a site with an index of its pages and its code. The official client has the same conversation
over stdin and stdout and over HTTP, in both eras of the protocol. It finds a page by its subject, reads it, follows it
to its route file, finds and fetches the code, asks a question, continues a long answer, and gets each error that a
valid index can cause. The command writes four transcripts to OUT, for review by eye, and reports where they differ. The
default questions are about janosh/svelte-multiselect at 5209c96; `--subject FILE` is JSON with the fields of
`Subject`.
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
    """The queries for one repository."""

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
        """Return the data of a call, and write its text into the transcript."""
        self.lines.append(f"\n### {tool} {json.dumps(arguments, ensure_ascii=False)}")
        try:
            answer = await self._client.call_tool(tool, arguments)
        except MCPError as error:
            self.lines.append(f"[refused by the protocol, {error.error.code}] {error.error.message}")
            return {}
        self.lines += [f"{'[is an error] ' if answer.is_error else ''}{one.text}" for one in answer.content]  # type: ignore[union-attr]
        data: dict[str, Any] = answer.structured_content or {}
        if answer.is_error:
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
    transcript = Transcript(client)
    listed = await client.list_tools()
    transcript.lines.append(f"tools: {', '.join(tool.name for tool in listed.tools)}")
    answer = await transcript.call("search", query=about.page, limit=3)
    url, route = answer["results"][0]["url"], answer["results"][0]["routeFile"]
    page = await transcript.call("get_page", url=url, max_tokens=600)
    if token := page["continuationToken"]:
        await transcript.call("get_page", url=url, max_tokens=600, continuation_token=token)
    await transcript.call("fetch", file=route, lines="1-20")
    await transcript.call("related", url=url, limit=3)
    first = await transcript.call("search", query=about.page, limit=8, max_tokens=300)
    await transcript.call("search", query=about.page, max_tokens=300, continuation_token=first["continuationToken"])

    code = await transcript.call("search_code", query=about.code, limit=2)
    await transcript.call("fetch", ids=[code["results"][0]["id"]])
    part = await transcript.call("fetch", file=about.file, max_tokens=400)
    if part["left"]:
        left = part["left"][0]
        await transcript.call(
            "fetch", file=left["file"], lines=f"{left['firstLine']}-{left['lastLine']}", max_tokens=400
        )

    answer = await transcript.call("ask", question=about.question, limit=2, max_tokens=250)
    if token := answer["continuationToken"]:
        await transcript.call("ask", question=about.question, continuation_token=token)
    await transcript.call("ask", question=about.absent)

    exact = await transcript.call("search_content", folder_id="site", exact_terms=[about.term], limit=2)
    token = exact["continuation"]["next_token"]
    await transcript.call("search_content", folder_id="site", continuation_token=token)
    await transcript.call(
        "search_content", folder_id="code", semantic_concepts=[about.code], exact_terms=[about.term], limit=1
    )
    documents = await transcript.call("find_documents", folder_id="site", query=about.page, limit=2)
    path = documents["data"]["documents"][0]["file_path"]
    outline = await transcript.call("get_document_data", folder_id="site", file_path=path, max_tokens=400)
    chunk = outline["data"]["chunks"][-1]["chunk_id"]
    await transcript.call("get_document_text", folder_id="site", file_path=path, chunk_id=chunk, max_tokens=300)

    await transcript.read(f"searchsocket://page{url}")
    reference = ResourceTemplateReference(uri="searchsocket://file/{+path}{?scope}")
    typed = await client.complete(reference, {"name": "path", "value": about.file[:-4]})
    transcript.lines.append(f"\n### completion of {about.file[:-4]!r}: {typed.completion.values}")
    await _errors(transcript, url, path, about, token)
    return transcript


async def _errors(transcript: Transcript, url: str, path: str, about: Subject, token: str) -> None:
    """Each of those that a sound index gives, in the ways in which an agent gets them."""
    transcript.lines.append("\n## What is wrong")
    await transcript.call("search", words=about.page)
    await transcript.call("search", query=about.page, limit=500)
    await transcript.call("search", query="", path_prefix="/")
    await transcript.call("search", query=about.page, scope="no-such-branch")
    await transcript.call("search", query=about.page, scope="///")
    await transcript.call("get_page", url=url[:-1])
    await transcript.call("get_page", url=url, continuation_token="abc")
    await transcript.call("related", url="/no/such/page")
    await transcript.call("fetch", file="src/no-such-file.ts")
    await transcript.call("fetch", file="../../../etc/passwd")
    await transcript.call("fetch", file=about.file, lines="90000-90010")
    await transcript.call("fetch", ids=["1"])
    await transcript.call("search_code", query=about.code, languages=["klingon"])
    await transcript.call("search_content", folder_id="docs", exact_terms=[about.term])
    await transcript.call("search_content", folder_id="site")
    await transcript.call("search_content", folder_id="site", exact_terms=["other"], continuation_token=token)
    await transcript.call("get_document_text", folder_id="site", file_path="no/such.md")
    await transcript.call("get_document_text", folder_id="site", file_path=path, chunk_id=f"{url}#x~0@000000000000")
    await transcript.call("delete_index", scope="main")
    await transcript.read("searchsocket://page/no/such/page")
    transcript.lines.append("\n## What is none")
    await transcript.call("search", query="zxqv blorf wibble")
    await transcript.call("search_code", query="zxqv blorf wibble")
    await transcript.call("search_content", folder_id="site", exact_terms=["zxqvBlorf"])
    await transcript.call("find_documents", folder_id="site", query="zxqv blorf wibble")


def over_stdio(project: Path) -> Any:
    """A server of one's own."""
    return stdio_client(StdioServerParameters(command=COMMAND, args=["mcp", *_ALL], cwd=str(project)))


def over_http(address: str, key: str) -> Any:
    """A service that runs."""
    return streamable_http_client(address, http_client=httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}))


def converse(transport: Any, mode: str, about: Subject) -> Transcript:
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
    options = parser.parse_args()
    about = Subject(**json.loads(options.subject.read_text())) if options.subject else Subject()
    transcripts: dict[str, Transcript] = {}
    with service(options.project.resolve()) as (address, key):
        for mode in ERAS:
            transcripts[f"stdio-{mode}"] = converse(over_stdio(options.project), mode, about)
            transcripts[f"http-{mode}"] = converse(over_http(address, key), mode, about)
    options.out.mkdir(parents=True, exist_ok=True)
    first = next(iter(transcripts.values()))
    for name, one in transcripts.items():
        (options.out / f"{name}.txt").write_text("\n".join(one.lines) + "\n")
        different = list(difflib.unified_diff(lasting(first.lines), lasting(one.lines), lineterm="", n=0))
        print(f"{name}: {len(lasting(one.lines))} lines, errors {', '.join(sorted(one.codes))}")
        print("\n".join(different))


if __name__ == "__main__":
    main()
