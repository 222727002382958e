"""Accept proposals: the last report keeps them by number, and one that a person accepts is added to its file."""

import tempfile
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from searchsocket.demand.proposals import (
    CURATION_FILE,
    GOLDEN_FILE,
    MISSING_PAGES_FILE,
    DemandProposal,
)
from searchsocket.demand.report import DemandReport
from searchsocket.errors import ConfigError, ConfigMissing
from searchsocket.project.project import Project
from searchsocket.quality.golden import GoldenQuery, golden_file, read_golden
from searchsocket.system.files import write_atomic

FILE = "demand-proposals.json"
_PROPOSALS = TypeAdapter(dict[int, DemandProposal])
_HEADS = {MISSING_PAGES_FILE: "# Missing pages\n\n"}


def save_proposals(project: Project, report: DemandReport) -> None:
    """Keep the proposals of a report under the numbers that it shows.

    Raises:
        StateUnavailable: They cannot be written.
    """
    numbered = {entry.number: entry.proposal for entry in report.entries if entry.number and entry.proposal}
    write_atomic(project.state_dir / FILE, _PROPOSALS.dump_json(numbered))


def saved_proposals(project: Project) -> dict[int, DemandProposal]:
    """The proposals of the last report; none if there was none."""
    try:
        return _PROPOSALS.validate_json((project.state_dir / FILE).read_bytes())
    except (OSError, ValidationError):
        return {}


def accept(project: Project, proposal: DemandProposal) -> Path | None:
    """Add a proposal to its file, which is checked before it is replaced.

    Returns:
        The file; None if it contains the proposal already.

    Raises:
        ConfigError: With the proposal the file would be invalid; it is unchanged.
        StateUnavailable: The file cannot be written.
    """
    path = _path_of(project, proposal)
    before = path.read_text(encoding="utf-8") if path.exists() else _HEADS.get(path.name, "")
    text = _row(proposal, before) if path.suffix == ".tsv" else proposal.text
    if text.strip() in before:
        return None
    gap = "" if not before or before.endswith("\n\n") or path.suffix != ".toml" else "\n"
    after = f"{before}{'' if before.endswith(chr(10)) or not before else chr(10)}{gap}{text}"
    _check(path, after)
    write_atomic(path, after.encode())
    return path


def _path_of(project: Project, proposal: DemandProposal) -> Path:
    if proposal.file != GOLDEN_FILE:
        return project.root / proposal.file
    try:
        return golden_file(project.root, project.settings.golden.file) or project.root / GOLDEN_FILE
    except ConfigMissing:  # the settings name a file that this makes
        return project.root / project.settings.golden.file


def _row(proposal: DemandProposal, table: str) -> str:
    """A golden query as a line of a table, in the order of its columns."""
    (golden,) = _read(GOLDEN_FILE, proposal.text)
    cells = {"query": golden.query, "target": " ".join(golden.expect), "kind": "demand"}
    return "\t".join(cells.get(name, "") for name in table.partition("\n")[0].split("\t")) + "\n"


def _check(path: Path, text: str) -> None:
    if path.name in (MISSING_PAGES_FILE, CURATION_FILE):
        return
    try:
        _read(path.name, text)
    except ConfigError as error:
        reason = str(error).partition(": ")[2]
        raise ConfigError(f"{path} is unchanged, because with the proposal it would be invalid: {reason}") from error


def _read(name: str, text: str) -> tuple[GoldenQuery, ...]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        return read_golden(path)
