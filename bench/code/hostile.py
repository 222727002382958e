"""`python -m bench.code.hostile --times 100000`: damaged lines of the protocol, and fetches of arbitrary paths.

The bench makes a project whose folder has links to files outside. It prints the number of answers, whether a byte from
outside came back, and the memory of the process after the first thousandth and at the end.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Thread

from bench.code.conversation import COMMAND
from bench.code.symbols import indexed
from searchsocket.errors import SearchSocketError

SEED = 7
_OUTSIDE = "what lies outside"
_PARTS = (
    "..", ".", "src", "auth.ts", "folder", "link.ts", "secret.ts", "", "etc", "passwd", ".env", "\0", "~", "SRC",
    "src/auth.ts", "folder/secret.ts", "src/../link.ts",
)  # fmt: skip
_WHOLE = (
    b'{"op": "search", "q": "verify token", "top_k": 3}',
    b'{"op": "fetch", "ids": [1, 2], "max_lines": 4}',
    b'{"op": "search", "q": "\\ud800 \xc3\xa9", "mode": "hybrid"}',
    b'{"op": "status"}',
    b"\x00",
    b'{"op": null}',
)


def main(arguments: Sequence[str]) -> None:
    """Run both and print what came of them."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.code.hostile", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=100_000, help="number of lines, and of fetches")
    times = parser.parse_args(arguments).times
    with TemporaryDirectory() as folder:
        root = _project(Path(folder))
        indexed(root, os.environ)
        print(_lines(root, times))
        print(_fetches(root, times))


def damaged_lines(random: Random, times: int) -> Iterator[bytes]:
    """Requests, damaged in many ways; no sync."""
    for _ in range(times):
        line = bytearray(random.choice(_WHOLE))
        for _ in range(random.choice((0, 1, 1, 4))):
            line[random.randrange(len(line))] = random.choice(b'"{}[]:,\\0129efx \xff\x80\x00')
        yield bytes(line).replace(b"\n", b" ")


def _lines(root: Path, times: int) -> str:
    command = [COMMAND, "code", "serve", "--stdio", "--project", str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        requests, answers = process.stdin, process.stdout
        assert requests
        assert answers

        def send() -> None:
            for line in damaged_lines(Random(SEED), times):
                requests.write(line + b"\n")
            requests.flush()

        sender = Thread(target=send)
        sender.start()
        first = answered = refused = 0
        for answered in range(1, times + 1):
            refused += not json.loads(answers.readline())["ok"]
            first = first or (_memory_mb(process.pid) if answered * 1_000 >= times else 0)
        last = _memory_mb(process.pid)
        sender.join()
        requests.close()
        rest = answers.read()
    return (
        f"{answered:,} lines answered, {refused:,} of them with an error, {len(rest)} bytes more, exit "
        f"{process.returncode}; {first} MB after a thousandth, {last} MB at the end"
    )


def _fetches(root: Path, times: int) -> str:
    code, random = indexed(root, os.environ), Random(SEED)
    before, start, answered, leaked = _memory_mb(os.getpid()), time.process_time(), 0, 0
    for _ in range(times):
        path = "/".join(random.choices(_PARTS, k=random.randrange(7)))
        first = random.choice((0, 1, 5, -1, 1 << 40))
        try:
            fetched = code.fetch_file(path, first, first + random.choice((0, 3, 119, -2)), "main")
        except SearchSocketError:
            continue
        answered += 1
        leaked += any(_OUTSIDE in line for line in fetched.text)
    return (
        f"{times:,} fetches, {answered:,} answered and the others refused, {leaked} with what lies outside, "
        f"{time.process_time() - start:.0f} s of CPU; {before} MB before, {_memory_mb(os.getpid())} MB after"
    )


def _project(folder: Path) -> Path:
    root = folder / "project"
    (root / "src").mkdir(parents=True)
    for path in (folder / "secret.ts", root / ".env"):
        path.write_text(f"export const secret = '{_OUTSIDE}';\n", encoding="utf-8")
    (root / "src" / "auth.ts").write_text(
        "export function verifyToken(token: string): boolean {\n  return token.length > 3;\n}\n" * 5, encoding="utf-8"
    )
    (root / "link.ts").symlink_to(folder / "secret.ts")
    (root / "src" / "link.ts").symlink_to(folder / "secret.ts")
    (root / "folder").symlink_to(folder)
    return root


def _memory_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:", 1)[1].split(None, 1)[0]) // 1_024


if __name__ == "__main__":
    main(sys.argv[1:])
