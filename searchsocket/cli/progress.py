"""Progress of a run on stderr; stdout is only for the result."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from searchsocket.cli.log_lines import LogLines, log_lines
from searchsocket.cli.output import safe
from searchsocket.events import Event, OnEvent, ignore
from searchsocket.pipeline.run.stages import label_of
from searchsocket.system.json_text import JsonObject


@contextmanager
def listener(*, lines: bool, first: str, silent: bool = False) -> Iterator[OnEvent]:
    """Choose the listener for run events: lines on request, a progress line on a terminal, otherwise none.

    Args:
        first: Text until the first stage reports its progress.
        silent: Ignore all events.
    """
    if silent:
        yield ignore
    elif log := log_lines():
        yield events_logged(log)
    elif lines:
        yield _json_lines(sys.stderr)
    elif sys.stderr.isatty():
        with _progress_bar(sys.stderr, first) as on_event:
            yield on_event
    else:
        yield ignore


def events_logged(log: LogLines) -> OnEvent:
    """Return a listener that writes each event as a log line; later lines have the id of the run that started."""

    def on_event(event: Event) -> None:
        if event.name == "run_started":
            log.add_facts(**event.fields)
        if event.name != "progress":
            log.log("info", event=event.name, **event.fields)

    return on_event


def _json_lines(stream: IO[str]) -> OnEvent:
    def on_event(event: Event) -> None:
        if event.name != "progress":  # for bars; the events of spec 22 report the same with names
            stream.write(json.dumps({"event": event.name, **event.fields}, ensure_ascii=False) + "\n")

    return on_event


@contextmanager
def _progress_bar(stream: IO[str], first: str) -> Iterator[OnEvent]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[done]}", markup=False),
        TimeElapsedColumn(),
        console=Console(file=stream),
        transient=True,
    )

    def on_event(event: Event) -> None:
        if event.name == "progress":
            progress.update(task, **_columns(event.fields))

    with progress:
        task = progress.add_task(first, total=None, done="")
        yield on_event


def _columns(fields: JsonObject) -> JsonObject:

    name, done, total = str(fields.get("stage", "")), int(fields.get("done", 0)), fields.get("total")
    return {
        "description": safe(label_of(name)),
        "completed": done,
        "total": total,
        "done": f"{done:,} of {total:,}" if total else f"{done:,}" if done else "",
    }
