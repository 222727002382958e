"""With `--log-format json`, stderr is one JSON object per line, without keys."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from searchsocket.cli.index_run import events_logged
from searchsocket.cli.log_lines import LogLines
from searchsocket.events import Event
from tests.runner_types import RunCli

KEY = "sk-" + "3f9a" * 8


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def test_a_run_logs_its_events_with_project_scope_and_run(run: RunCli, site: Path) -> None:
    result = run("index", "--dry-run", "--scope", "main", "--log-format", "json")
    lines = lines_of(result.stderr)
    assert result.stdout == ""
    assert {"page_extracted", "chunked"} <= {line["event"] for line in lines if "event" in line}
    assert {(line["project"], line["scope"]) for line in lines} == {("harbour", "main")}
    assert all({"time", "level"} <= set(line) for line in lines)
    assert any("cost" in line["message"] for line in lines if "message" in line)


def test_lines_of_a_run_have_its_id(stream: io.StringIO) -> None:
    on_event = events_logged(LogLines(stream, {}))
    for event in (Event("run_started", {"run": "1a2b"}), Event("progress", {"done": 1}), Event("upserted")):
        on_event(event)
    assert [(line["event"], line["run"]) for line in lines_of(stream.getvalue())] == [
        ("run_started", "1a2b"),
        ("upserted", "1a2b"),
    ]


def test_errors_are_lines_too(run: RunCli, site: Path) -> None:
    result = run("rollback", "--scope", "main", "--log-format", "json")
    assert result.exit_code != 0
    assert [(line["level"], line["code"]) for line in lines_of(result.stderr)] == [("error", "SCOPE_NOT_INDEXED")]
    result = run("prune", "--older-than", "soon", "--log-format", "json")
    assert [line["level"] for line in lines_of(result.stderr)] == ["error"]


def test_keys_are_scrubbed(stream: io.StringIO) -> None:
    lines = LogLines(stream, {"OPENAI_API_KEY": KEY, "PATH": "/usr/local/bin", "SHORT_KEY": "ab"})
    lines.log("info", message=f"called with {KEY}", url="s3://user:pass-word@host/bucket")
    lines.write(f"Traceback: header Bearer {KEY}\nab /usr/local/bin\n")
    text = stream.getvalue()
    assert KEY not in text
    assert "pass-word" not in text
    assert "ab /usr/local/bin" in text


def test_lines_of_other_loggers_keep_their_level(stream: io.StringIO) -> None:
    lines = LogLines(stream, {})
    lines.add_facts(project="harbour")
    lines.write('2026-01-01 - dagster - INFO - started\n{"level": "error", "code": "X"}\nhalf ')
    lines.write("a line\n{broken\n\nno end")
    lines.end()
    result = lines_of(stream.getvalue())
    assert [line["level"] for line in result] == ["info", "error", "warning", "warning", "warning"]
    assert [line.get("message", "") for line in result[2:]] == ["half a line", "{broken", "no end"]
    assert {line["project"] for line in result} == {"harbour"}
