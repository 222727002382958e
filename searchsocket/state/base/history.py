"""What the stages of past runs reported, in the order of writing: clocks jump."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class History(Protocol):
    """Reports of the stages of a scope; what is in one is the pipeline's, and JSON can hold it."""

    def save(self, run_id: str, stage: str, finished_at: str, report: Mapping[str, Any]) -> None:
        """Keep a stage's report; a stage that ran twice in one run keeps the newer."""

    def last(self, stage: str) -> Mapping[str, Any] | None:
        """The newest report of one stage."""

    def newest(self, stage: str, limit: int) -> Sequence[Mapping[str, Any]]:
        """The reports of one stage in its last runs, the newest first."""

    def keep_newest(self, runs: int) -> None:
        """Drop the reports of all but the newest runs."""
