"""Test whether a reader chooses the right tool and arguments from the descriptions alone.

`python -m bench.agents.descriptions`:

`--paper SEED` prints tools and tasks, both shuffled, without answers. `--answers FILE...` scores files of JSON lines,
`{"task": 7, "tool": "search", "arguments": {"query": "..."}}`. A call is right if the server accepts it, if it uses the
tool that fits, and if it has the required arguments and no further filter.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.agents.tasks import TASKS
from searchsocket.agents.arguments import schema_of
from searchsocket.agents.tools import TOOLS

_HOW = """\
# Which tool, and with what?

You are a coding agent. Below are tools of one server, with their descriptions and the JSON schemas of their arguments,
and then 43 tasks. For each task name the ONE call that you would make first. Judge by the descriptions alone: read no
source code, no documentation and no other file. Write one JSON object a line, for every task:

    {"task": 7, "tool": "NAME", "arguments": {...}}

Leave out arguments that the task does not ask for.
"""


def paper(seed: int) -> str:
    """Tools and tasks as the reader gets them."""
    shuffled = random.Random(seed)
    tools, numbers = list(TOOLS.values()), list(range(len(TASKS)))
    shuffled.shuffle(tools)
    shuffled.shuffle(numbers)
    schemas = [json.dumps(schema_of(tool.takes), ensure_ascii=False) for tool in tools]
    parts = [
        f"## {tool.name}\n\n{tool.description(TOOLS)}\n\n```json\n{schema}\n```\n"
        for tool, schema in zip(tools, schemas, strict=True)
    ]
    tasks = [f"- {number}: {TASKS[number].text}" for number in numbers]
    return "\n".join([_HOW, *parts, "# Tasks", "", *tasks])


def score(path: Path) -> Iterator[str]:
    """The number of right calls, in all and per tool, and the mistakes of the others."""
    sent: dict[int, Mapping[str, Any]] = {
        answer["task"]: answer for answer in map(json.loads, filter(str.strip, path.read_text().splitlines()))
    }
    wrong: dict[int, str] = {}
    for number, task in enumerate(TASKS):
        answer = sent.get(number, {})
        if missed := task.missed(answer.get("tool", "nothing"), answer.get("arguments", {})):
            wrong[number] = missed
    tools = sum(sent.get(number, {}).get("tool") == task.call.tool for number, task in enumerate(TASKS))
    yield f"{path.name}: {len(TASKS) - len(wrong)} of {len(TASKS)} right, the tool alone {tools}"
    of_each = Counter(task.call.tool for task in TASKS)
    missed_of = Counter(TASKS[number].call.tool for number in wrong)
    yield "; ".join(f"{name} {of_each[name] - missed_of[name]}/{of_each[name]}" for name in TOOLS)
    yield from (f"  {number}: {why}: {TASKS[number].text}" for number, why in wrong.items())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paper", type=int, metavar="SEED", default=0)
    parser.add_argument("--answers", type=Path, nargs="+", metavar="FILE")
    options = parser.parse_args()
    print(
        "\n".join(line for file in options.answers for line in score(file)) if options.answers else paper(options.paper)
    )
