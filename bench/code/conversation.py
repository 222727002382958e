"""`python -m bench.code.conversation REPOSITORY QUESTION NAME`: output for an agent and a person, for review by eye.

The agent uses `searchsocket code serve --stdio`, with one invalid line. The person uses the command line. A stale index
of the repository is updated. The bench changes only `searchsocket.toml` and its state folder.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

COMMAND = str(Path(sys.executable).parent / "searchsocket")
_WIDTH = 1_200  # characters of an answer that are printed


def main(arguments: Sequence[str]) -> None:
    root, question, name = arguments
    _lines(root, question, name)
    first = name.rpartition(".")[2]
    for command in (
        ["status"],
        ["search", question, "--limit", "3"],
        ["search", name, "--limit", "2"],
        ["find", first, "--limit", "5"],
        ["related", name],
    ):
        print(f"\n$ searchsocket code {' '.join(command)}", flush=True)
        done = subprocess.run(
            [COMMAND, "code", *command, "--project", root], text=True, capture_output=True, check=False
        )
        print(done.stdout + done.stderr, flush=True)


def _lines(root: str, question: str, name: str) -> None:
    command = [COMMAND, "code", "serve", "--stdio", "--project", root]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout

        def say(line: bytes) -> Any:
            return _said(process.stdin, process.stdout, line)  # type: ignore[arg-type]

        if say(b'{"op": "status"}')["data"]["dirty"]:
            say(b'{"op": "sync"}')
        results = say(_request(op="search", q=question, top_k=3))["data"]
        say(_request(op="search", q=question, top_k=2, mode="hybrid"))
        say(_request(op="search", q=name, top_k=1, mode="hybrid"))
        say(_request(op="fetch", ids=[one["chunk_id"] for one in results[:2]], max_lines=6))
        say(b"not JSON")
        say(_request(op="fetch", ids=[4_294_967_295]))
        process.stdin.close()
    print(f"exit {process.returncode}", flush=True)


def _request(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def _said(to: IO[bytes], out: IO[bytes], line: bytes) -> Any:
    to.write(line + b"\n")
    to.flush()
    answer = out.readline()
    print(f"> {line.decode()}\n< {answer.decode()[:_WIDTH].rstrip()}\n", flush=True)
    return json.loads(answer)


if __name__ == "__main__":
    main(sys.argv[1:])
