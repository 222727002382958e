"""Print what a reader sees who names a tool for each task, and compare what he named.

`python -m bench.agents.descriptions`:

`--sheet SEED` prints descriptions and tasks in a shuffled order, without answers. `--answers FILE` compares a file of
`number tool` lines, where numbers are those of `TASKS`, from 0. `blind.txt` is such a file: its reader, who also wrote
tasks and descriptions, named 40 of 40 before he looked at the answers, which says that the descriptions do not overlap,
and nothing of readers who never saw them.
"""

import argparse
import random
from pathlib import Path

from bench.agents.tasks import TASKS
from searchsocket.agents.arguments import names_of
from searchsocket.agents.toolset import TOOLS


def sheet(seed: int) -> str:
    """Tools and tasks as the reader gets them."""
    shuffled = random.Random(seed)
    tools, numbers = list(TOOLS), list(range(len(TASKS)))
    shuffled.shuffle(tools)
    shuffled.shuffle(numbers)
    parts = [f"## {tool.name}({', '.join(names_of(tool.takes))})\n\n{tool.description}\n" for tool in tools]
    return "\n".join([*parts, "## Tasks", "", *(f"{number}: {TASKS[number][1]}" for number in numbers)])


def compare(path: Path) -> str:
    """How many are right, and which are not."""
    named = dict(line.split()[:2] for line in path.read_text().splitlines() if line.strip())
    wrong = [
        f"{number}: {named.get(str(number))} instead of {' or '.join(right)}: {task}"
        for number, (_, task, right) in enumerate(TASKS)
        if named.get(str(number)) not in right
    ]
    return "\n".join([f"{len(TASKS) - len(wrong)} of {len(TASKS)} right", *wrong])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sheet", type=int)
    parser.add_argument("--answers", type=Path)
    asked = parser.parse_args()
    print(compare(asked.answers) if asked.answers else sheet(asked.sheet or 0))
