"""The tasks by which descriptions are judged keep in step with the tools, and a wrong call is none of theirs."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.agents.calls import Only, Words
from bench.agents.descriptions import paper, score
from bench.agents.tasks import TASKS
from searchsocket.agents.tools import TOOLS


def right(expected: object) -> Any:
    match expected:
        case Words():
            return " ".join(expected)
        case Only():
            return expected[0]
    return expected


def answers(path: Path, spoilt: dict[int, dict[str, Any]]) -> str:
    """Write the right answers to a file, with some replaced by wrong ones, and return what the check prints."""
    lines = []
    for number, task in enumerate(TASKS):
        arguments = {name: right(value) for name, value in task.call.must.items()}
        lines.append({"task": number, "tool": task.call.tool, "arguments": arguments} | spoilt.get(number, {}))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "\n".join(score(path))


def test_the_calls_that_are_expected_are_taken_by_the_tools(tmp_path: Path) -> None:
    assert "43 of 43 right, the tool alone 43" in answers(tmp_path / "answers.jsonl", {})
    assert {task.call.tool for task in TASKS} == set(TOOLS)


@pytest.mark.parametrize(
    ("spoilt", "why"),
    [
        ({"tool": "get_page"}, "get_page instead of search"),
        ({"arguments": {"query": "slashes"}}, "query: 'slashes' instead of ('trailingSlash',)"),
        ({"arguments": {"words": "trailingSlash"}}, "'words' is not an argument of this tool"),
        ({"arguments": {"query": "trailingSlash", "tags": ["build"]}}, "tags was not asked for"),
    ],
)
def test_a_wrong_call_is_none_of_them(tmp_path: Path, spoilt: dict[str, Any], why: str) -> None:
    message = answers(tmp_path / "answers.jsonl", {0: spoilt})
    assert "42 of 43 right" in message
    assert why in message


def test_the_paper_holds_no_answer() -> None:
    text = paper(7)
    assert all(f"- {number}: {task.text}" in text for number, task in enumerate(TASKS))
    assert paper(7) != paper(8)
