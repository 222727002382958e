"""The cost of an agent's own server until it answers: `python -m bench.agents.ready PROJECT` (Linux).

A process over stdin and stdout, five times after a warm-up. Prints CPU seconds and peak memory after the greeting, and
after the answer to a first search, for which the server opens the index and loads the model.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import IO, Any, NamedTuple

COMMAND = str(Path(sys.executable).with_name("searchsocket"))
RUNS = 5
_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
_SEARCH = {"name": "search", "arguments": {"query": "how is it installed"}}


class Cost(NamedTuple):
    """The cost of a process so far."""

    cpu_s: float
    peak_mb: float


def cost_of(pid: int) -> Cost:
    """The CPU and the memory of a process, all of its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    peak = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return Cost((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(peak.split()[1]) / 1024)


def send_request(to: IO[str], back: IO[str], method: str, params: dict[str, Any]) -> None:
    """Send a request and wait for its answer; one that failed ends the bench."""
    to.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
    to.flush()
    while "id" not in (answer := json.loads(back.readline())):
        continue  # a notification
    if "result" not in answer or answer["result"].get("isError"):
        raise SystemExit(f"{method}: {answer}")


def started(project: Path, command: str = COMMAND) -> tuple[Cost, Cost]:
    """The cost of one server when it has greeted, and when it has answered."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([command, "mcp"], cwd=project, **pipes) as server:  # type: ignore[call-overload]
        send_request(server.stdin, server.stdout, "initialize", _HELLO)
        greeted = cost_of(server.pid)
        server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        send_request(server.stdin, server.stdout, "tools/call", _SEARCH)
        answered = cost_of(server.pid)
        server.stdin.close()
    return greeted, answered


def main(project: Path) -> None:
    costs = [started(project) for _ in range(RUNS + 1)][1:]
    for name, costs_of_step in zip(("greeted", "first answer"), zip(*costs, strict=True), strict=True):
        cpu_s, peak_mb = (statistics.median(values) for values in zip(*costs_of_step, strict=True))
        print(f"{name:12} {cpu_s:.2f} s of CPU, {peak_mb:.0f} MB at most")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
