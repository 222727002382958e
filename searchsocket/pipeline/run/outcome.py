"""Result of a check, and the refusal of a candidate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from searchsocket.errors import CandidateRefused
from searchsocket.pipeline.run.numbers import Number


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """Result of a check."""

    passed: bool
    message: str
    severity: Literal["error", "warn"] = "error"
    numbers: Mapping[str, Number] = field(default_factory=dict)
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)  # title -> rows for people


class GoldenQueriesFailed(CandidateRefused):
    """The new generation answers the golden queries too badly."""

    def __init__(self, scope: str, generation: str, outcome: CheckOutcome) -> None:
        super().__init__(
            f"generation {generation} of scope {scope!r} is not published: {outcome.message}; it is kept to be looked "
            f"at: `searchsocket test --generation candidate --scope {scope}`; --accept-quality-drop publishes it"
        )
        self.generation = generation
        self.outcome = outcome
