"""Reports of whole runs, `runs/<scope>/*.json` in the state folder: Dagster shows the runs of commands from them.

A report contains everything that Dagster shows, so it outlives a Dagster home, and needs no state.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from searchsocket.errors import SearchSocketError, StateUnavailable
from searchsocket.pipeline.run.context import corpora_by_name
from searchsocket.pipeline.run.results import CheckOutcome, Numbers, StageResult, result_of
from searchsocket.pipeline.run.stages import every_stage
from searchsocket.project.project import Project
from searchsocket.project.scopes import is_scope_name
from searchsocket.system.files import write_atomic
from searchsocket.system.json_text import JsonObject

FOLDER = "runs"
MAX_REPORTS = 20  # per scope
_MAX_BYTES = 64_000_000  # a table names each text that the provider refused, in 150 bytes
_ENDING = ".json"
_FILE_NAME = re.compile(r"(?P<ended_at>[\dT.+-]+?\+0000)-(?P<run_id>[\w-]+)\.json")


@dataclass(frozen=True, slots=True)
class RunFailure:
    """The error that ended a run."""

    stage: str  # the stage that failed
    code: str
    message: str
    retryable: bool = False

    @classmethod
    def of(cls, stage: str, error: SearchSocketError) -> "RunFailure":
        """The failure of a stage from its error."""
        return cls(stage, error.code, str(error), error.retryable)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """One run over one corpus of a scope: what each stage and check found, or how the run failed."""

    run_id: str
    scope: str
    branch: str  # of the scope; "" = unknown
    corpus: str
    started_at: str  # ISO 8601, UTC
    ended_at: str
    options: Mapping[str, object] = field(default_factory=dict)  # those that the run was started with
    build: str = ""  # commit that the pages come from; "" = the files at the start of the run
    stages: Mapping[str, StageResult[Numbers]] = field(default_factory=dict)  # in the order of the run
    checks: Mapping[str, CheckOutcome] = field(default_factory=dict)
    failure: RunFailure | None = None  # None = the run succeeded


def keep_report(project: Project, report: RunReport) -> None:
    """Write a report, and delete the oldest ones of its scope beyond `MAX_REPORTS`.

    Args:
        project: The project of the site, also for a run over its code.

    Raises:
        StateUnavailable: The file cannot be written, or the folder is a link.
    """
    folder = reports_folder(project.state_dir, report.scope)
    if folder.resolve() != project.state_dir.resolve() / FOLDER / report.scope:
        raise StateUnavailable(f"{folder} leads out of the state folder; remove the link")
    name = f"{report.ended_at.replace(':', '')}-{report.run_id}{_ENDING}"
    # Not synced: a report that a power failure destroys is one run that Dagster does not show.
    write_atomic(folder / name, json.dumps(asdict(report), ensure_ascii=False).encode(), durable=False)
    for path in _newest_first(folder)[MAX_REPORTS:]:
        with suppress(OSError):
            path.unlink()


class ReportName(NamedTuple):
    """Name of a stored report, known without reading it."""

    ended_at: str  # for the order
    scope: str
    run_id: str


def report_names(project: Project) -> list[ReportName]:
    """The names of the stored reports of all scopes, by the time of their end."""
    try:
        scopes = [path.name for path in (project.state_dir / FOLDER).iterdir() if is_scope_name(path.name)]
    except OSError:
        return []
    names = []
    for scope in scopes:
        for path in reports_folder(project.state_dir, scope).glob(f"*{_ENDING}"):
            if match := _FILE_NAME.fullmatch(path.name):
                names.append(ReportName(match["ended_at"], scope, match["run_id"]))
    return sorted(names)


def report_of(project: Project, scope: str, run_id: str) -> RunReport | None:
    """The report of one run; None if it does not exist, or its file is damaged."""
    folder = reports_folder(project.state_dir, scope)
    paths = (path for path in _newest_first(folder) if path.name.endswith(f"-{run_id}{_ENDING}"))
    return next((report for path in paths if (report := _read(path))), None)


def last_report(project: Project, scope: str) -> RunReport | None:
    """The newest report of a scope; None without one."""
    folder = reports_folder(project.state_dir, scope)
    return next((report for path in _newest_first(folder) if (report := _read(path))), None)


def reports_folder(state_dir: Path, scope: str) -> Path:
    """The folder with the reports of a scope."""
    return state_dir / FOLDER / scope


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{_ENDING}"), reverse=True)


def _read(path: Path) -> RunReport | None:
    """Read a report; None if the file is none that this version wrote."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            return None
        values: JsonObject = json.loads(data)
        corpus = values["corpus"]
        if corpus not in corpora_by_name() or values["scope"] != path.parent.name:
            return None
        return RunReport(**{**values, **_parts(values, corpus)})
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _parts(values: JsonObject, corpus: str) -> dict[str, Any]:
    kinds = {name: stage.numbers for name, stage in every_stage(corpora_by_name()[corpus]).items()}
    return {
        "stages": {name: result_of(result, kinds[name]) for name, result in values["stages"].items()},
        "checks": {str(name): CheckOutcome(**outcome) for name, outcome in values["checks"].items()},
        "failure": RunFailure(**values["failure"]) if values["failure"] else None,
    }
