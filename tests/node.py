"""Node.js as an oracle: one process answers many questions, a line of JSON each."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_LOOP = """
const answer = %s;
require('readline').createInterface({input: process.stdin}).on('line', (line) => {
  let value = null;
  try { value = answer(JSON.parse(line)); } catch {}
  process.stdout.write(JSON.stringify(value) + '\\n');
});
"""


@contextmanager
def open_node(answer: str) -> Iterator[Callable[[object], Any]]:
    """Yield a function that asks Node; None if its code throws. The test is skipped without Node.

    Args:
        answer: JavaScript function from a value of JSON to a value of JSON.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js on this machine: apt-get install nodejs")
    process = subprocess.Popen([node, "-e", _LOOP % answer], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def ask(question: object) -> Any:
        stdin.write(json.dumps(question).encode() + b"\n")
        stdin.flush()
        return json.loads(stdout.readline())

    with process:
        yield ask
        stdin.close()
