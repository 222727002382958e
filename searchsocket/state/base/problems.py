"""What a person should know of a page as long as it lasts, also in runs that do not look at the page again."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

# What it is of: the page as it was extracted, its chunks, or how many secrets their texts hold, as a number.
ProblemPart = Literal["page", "chunks", "secrets"]


class Problem(NamedTuple):
    """One problem of one page."""

    url: str
    text: str


class Problems(Protocol):
    """The problems of a scope's known pages; those of its chunks go with them."""

    def replace(self, page_id: int, part: ProblemPart, texts: Sequence[str]) -> None:
        """Set what is wrong with a part of a page; nothing, mostly."""

    def count(self, part: ProblemPart) -> int:
        """How many there are."""

    def first(self, part: ProblemPart, limit: int) -> list[Problem]:
        """Some of them, by rising URL; those of one page in the order in which they were found."""
