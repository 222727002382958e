"""Save the proposals of the last report by number, and add an accepted proposal to its file."""

import re
import tempfile
from pathlib import Path

from pydantic import BaseModel, ValidationError

from searchsocket.curation.rules import FILE_NAME as CURATION_FILE
from searchsocket.curation.rules import read_curation
from searchsocket.errors import ConfigError, ConfigMissing
from searchsocket.extensions.demand.proposals import (
    GOLDEN_FILE,
    MISSING_PAGES_FILE,
    DemandProposal,
)
from searchsocket.extensions.demand.report import DemandReport
from searchsocket.project.project import Project
from searchsocket.quality.golden import GoldenQuery, golden_file, read_golden
from searchsocket.system.files import write_atomic

FILE = "demand-proposals.json"
MAX_PINS = 100
_HEADS = {MISSING_PAGES_FILE: "# Missing pages\n\n"}


class SavedProposals(BaseModel):
    """Proposals of the last report by number, and pins that the owner proposed, numbered after them."""

    report: dict[int, DemandProposal] = {}
    pins: list[DemandProposal] = []

    def by_number(self) -> dict[int, DemandProposal]:
        """Return all proposals by number."""
        return self.report | dict(enumerate(self.pins, max(self.report, default=0) + 1))


def save_report(project: Project, report: DemandReport) -> dict[int, DemandProposal]:
    """Save the proposals of a report by their numbers.

    Returns:
        The pins that the owner proposed, by number.

    Raises:
        StateUnavailable: The file cannot be written.
    """
    by_number = {entry.number: entry.proposal for entry in report.entries if entry.number and entry.proposal}
    saved = SavedProposals(report=by_number, pins=saved_proposals(project).pins)
    _save(project, saved)
    return {number: proposal for number, proposal in saved.by_number().items() if number not in by_number}


def propose_pin(project: Project, pin: DemandProposal) -> int:
    """Save a pin that the owner proposed, keeping the last `MAX_PINS`; return its number.

    Raises:
        StateUnavailable: The file cannot be written.
    """
    saved = saved_proposals(project)
    pins = [*(other for other in saved.pins if other.text != pin.text), pin][-MAX_PINS:]
    saved = SavedProposals(report=saved.report, pins=pins)
    _save(project, saved)
    return max(saved.by_number())


def saved_proposals(project: Project) -> SavedProposals:
    """Read the saved proposals; empty before the first report."""
    try:
        return SavedProposals.model_validate_json((project.state_dir / FILE).read_bytes())
    except (OSError, ValidationError):
        return SavedProposals()


def _save(project: Project, saved: SavedProposals) -> None:
    write_atomic(project.state_dir / FILE, saved.model_dump_json().encode())


def accept(project: Project, proposal: DemandProposal) -> Path | None:
    """Add a proposal to its file, after a check of the new text. A pin of the owner is then no longer a proposal.

    Returns:
        The file; None if it already contains the proposal.

    Raises:
        ConfigError: With the proposal the file would not be valid; it is unchanged.
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
    saved = saved_proposals(project)
    if any(pin.text == proposal.text for pin in saved.pins):
        pins = [pin for pin in saved.pins if pin.text != proposal.text]
        _save(project, SavedProposals(report=saved.report, pins=pins))
    return path


def _path_of(project: Project, proposal: DemandProposal) -> Path:
    if proposal.file != GOLDEN_FILE:
        return project.root / proposal.file
    try:
        return golden_file(project.root, project.settings.golden.file) or project.root / GOLDEN_FILE
    except ConfigMissing:  # the file in the settings does not exist yet
        return project.root / project.settings.golden.file


def _row(proposal: DemandProposal, table: str) -> str:
    """Format a golden query as a line of a table, in the order of its columns."""
    (golden,) = _read(GOLDEN_FILE, proposal.text)
    cells = {"query": golden.query, "target": " ".join(golden.expect), "kind": "demand"}
    return "\t".join(cells.get(name, "") for name in table.partition("\n")[0].split("\t")) + "\n"


def _check(path: Path, text: str) -> None:
    if path.name == MISSING_PAGES_FILE:
        return
    try:
        _read(path.name, text)
    except ConfigError as error:
        reason = re.sub(r"^\S+?(?=:\d|: )", path.name, str(error))
        raise ConfigError(f"{path} is unchanged, because with the proposal it would be invalid: {reason}") from error


def _read(name: str, text: str) -> tuple[GoldenQuery, ...]:
    """Return the golden queries in a text; a text of curation rules is only checked."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        if name == CURATION_FILE:
            if mistakes := read_curation(path).mistakes:
                raise ConfigError(mistakes[0])
            return ()
        return read_golden(path)
