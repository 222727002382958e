"""Count runs in the state folder, and write them as a file that Prometheus reads through node exporter."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from searchsocket.errors import SearchSocketError
from searchsocket.extensions.metrics.settings import MetricsSettings
from searchsocket.models.paying.ledger import Paid
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.hooks import RunMoment
from searchsocket.project.corpora import configured_id
from searchsocket.project.project import Project
from searchsocket.project.scopes import is_scope_name
from searchsocket.system.errors import system_errors
from searchsocket.system.files import FILE_MODE, replacing, write_atomic
from searchsocket.system.locks import scope_lock

FILE = "metrics.json"
_LOCK_TIMEOUT_S = 10.0
_MAX_BYTES = 4_000_000
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
Result = Literal["published", "unchanged", "refused", "failed"]
Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Labels = tuple[tuple[str, str], ...]


class ScopeRuns(BaseModel):
    """The runs of one scope so far; times are seconds since 1970, 0 = never."""

    model_config = ConfigDict(extra="ignore", strict=True)

    counts: dict[str, Annotated[int, Field(ge=0)]] = {}  # by result and code, as `failed LEASE_LOST`
    last: str = ""  # a key of `counts`
    started: Number = 0.0
    ended: Number = 0.0
    succeeded: Number = 0.0
    published: Number = 0.0
    seconds: Number = 0.0  # of the last run
    generation: str = ""
    is_running: bool = False
    has_lease: bool = False


class CountedRuns(BaseModel):
    """The runs of all scopes of a corpus."""

    model_config = ConfigDict(extra="ignore", strict=True)

    scopes: dict[str, ScopeRuns] = {}


def note(run: ScopeRun, moment: RunMoment) -> None:
    """Count a moment of a run, and write the file.

    Raises:
        StateUnavailable: The state folder, or the folder of the collector, cannot be written.
        ScopeLocked: Another process has been writing the counts for ten seconds.
    """
    project = run.project
    path = project.state_dir / FILE
    with scope_lock(project.state_dir, FILE, timeout_s=_LOCK_TIMEOUT_S):
        counted = _read(path)
        _drop_unknown(run, counted)
        runs = counted.scopes.setdefault(run.scope.name, ScopeRuns())
        _count(runs, moment)
        write_atomic(path, counted.model_dump_json().encode(), durable=False)
        _write(project, _text(run, counted))


def _drop_unknown(run: ScopeRun, counted: CountedRuns) -> None:
    """Remove the scopes that were deleted, so that no alert is about them."""
    with suppress(SearchSocketError):
        known = set(run.state.scopes())
        counted.scopes = {name: runs for name, runs in counted.scopes.items() if name in known}


def _count(runs: ScopeRuns, moment: RunMoment) -> None:
    now = moment.at.timestamp()
    runs.is_running, runs.has_lease = moment.what == "begun", moment.has_lease
    if moment.what == "begun":
        runs.started = now
        return
    runs.ended = now
    if moment.what == "ended":
        return
    runs.seconds = max(0.0, now - runs.started) if runs.started else 0.0
    is_new = moment.generation != runs.generation
    result: Result = "unchanged" if moment.what == "published" and not is_new else moment.what
    runs.last = f"{result} {moment.code}".rstrip()
    runs.counts[runs.last] = runs.counts.get(runs.last, 0) + 1
    if moment.what == "published":
        runs.succeeded, runs.generation = now, moment.generation
        runs.published = now if is_new else runs.published


def _read(path: Path) -> CountedRuns:
    """The counts so far; a file that cannot be read begins again, as counters of a process that was restarted do."""
    try:
        with open(path, "rb") as file:
            counted = CountedRuns.model_validate_json(file.read(_MAX_BYTES))
    except (OSError, ValidationError):
        return CountedRuns()
    return CountedRuns(scopes={name: runs for name, runs in counted.scopes.items() if is_scope_name(name)})


def _write(project: Project, text: str) -> None:
    settings: MetricsSettings = project.settings.section(MetricsSettings)
    folder = project.root / settings.textfile_dir
    path = folder / f"searchsocket-{_UNSAFE.sub('-', project.id)[:150]}.prom"
    writing = replacing(path, folder, durable=False, mode=FILE_MODE)
    with system_errors("cannot write the metrics", path), writing as file:
        file.write(text.encode("utf-8", "replace"))


def _text(run: ScopeRun, counted: CountedRuns) -> str:
    """The file in Prometheus's text format."""
    project = run.project
    project_id = configured_id(project.id, project.id) if run.corpus.name == "code" else project.id
    corpus = (("project", project_id), ("corpus", run.corpus.name))
    lines: list[str] = []
    by_scope = [((*corpus, ("scope", name)), runs) for name, runs in sorted(counted.scopes.items())]
    for name, kind, text, values in _families(by_scope):
        lines += _family(f"searchsocket_indexer_{name}", kind, text, values)
    ledger, budget = run.backends.ledger, project.settings.costs.budget.month_usd
    month = [line for line in ledger.lines() if line.month == ledger.month()]
    lines += _family("searchsocket_indexer_month_paid_usd", "gauge", "Paid this month (UTC).", _paid(corpus, month))
    if budget is not None:
        text = "costs.budget.month_usd."
        lines += _family("searchsocket_indexer_month_budget_usd", "gauge", text, [(corpus, budget)])
    return "\n".join([*lines, ""])


def _families(
    by_scope: Sequence[tuple[Labels, ScopeRuns]],
) -> Iterator[tuple[str, str, str, list[tuple[Labels, float]]]]:
    """Yield name, type, help and values of each family."""
    counts = [
        ((*labels, ("result", key.partition(" ")[0]), ("code", key.partition(" ")[2])), float(count))
        for labels, runs in by_scope
        for key, count in sorted(runs.counts.items())
    ]
    yield "runs_total", "counter", "Runs by result; code is that of the error.", counts
    for name, text, value in (
        ("running", "1 while a run works on the scope, or after it was killed.", "is_running"),
        ("lease_held", "1 while a run has the lease of the scope in the object store.", "has_lease"),
        ("started_timestamp_seconds", "Start of the last run.", "started"),
        ("ended_timestamp_seconds", "End of the last run.", "ended"),
        ("succeeded_timestamp_seconds", "End of the last run without an error.", "succeeded"),
        ("published_timestamp_seconds", "End of the last run that changed the index.", "published"),
        ("run_seconds", "Duration of the last run.", "seconds"),
    ):
        yield name, "gauge", text, [(labels, float(getattr(runs, value))) for labels, runs in by_scope]
    for name, text in (("failed", "1 if the last run failed."), ("refused", "1 if the last build was refused.")):
        yield name, "gauge", text, [(labels, float(runs.last.startswith(name))) for labels, runs in by_scope]


def _paid(corpus: Labels, month: Sequence[Paid]) -> list[tuple[Labels, float]]:
    uses = sorted({line.used_for for line in month})
    return [
        ((*corpus, ("used_for", use)), sum(line.cost_usd for line in month if line.used_for == use)) for use in uses
    ] or [((*corpus, ("used_for", "index")), 0.0)]


def _family(name: str, kind: str, text: str, values: Sequence[tuple[Labels, float]]) -> list[str]:
    samples = [f"{name}{{{','.join(map(_label, labels))}}} {value:.15g}" for labels, value in values]
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *samples]


def _label(label: tuple[str, str]) -> str:
    name, value = label
    escaped = value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
    return f'{name}="{escaped}"'
