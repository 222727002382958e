"""Pages and files that are left out: which of them are listed, and how they are described."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

MAX_SKIPPED = 100  # that a report lists
_NAMED = 5  # reasons, or pages if there are no more
_EXAMPLES = 3  # of each reason


class Skipped(NamedTuple):
    """A skipped page."""

    page: str  # a URL, or a source file that belongs to no page
    reason: str


def first_skipped(reasons: Mapping[str, str], limit: int = MAX_SKIPPED) -> list[Skipped]:
    """Return some skipped pages in the order of their names; if they are too many, the same number of each reason.

    Args:
        reasons: The reason of each skipped page.
    """
    pages = [Skipped(page, reason) for page, reason in sorted(reasons.items())]
    if len(pages) <= limit:
        return pages
    most = max(1, limit // len(set(reasons.values())))
    counts = dict.fromkeys(reasons.values(), 0)
    first = []
    for page in pages:
        counts[page.reason] += 1
        if counts[page.reason] <= most:
            first.append(page)
    return first[:limit]


def skipped_words(skipped: Sequence[Skipped], reasons: Mapping[str, int]) -> str:
    """The skipped pages: by name if there are few, otherwise a count and the first per reason; "" if there are none."""
    total = sum(reasons.values())
    if total <= _NAMED and len(skipped) == total:
        return ", ".join(f"{skip.page} ({skip.reason})" for skip in skipped)
    often = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    words = [f"{number:,} {reason}{_examples(skipped, reason, number)}" for reason, number in often[:_NAMED]]
    others = sum(number for _, number in often[_NAMED:])
    return ", ".join([*words, f"{others:,} for other reasons"] if others else words)


def _examples(skipped: Sequence[Skipped], reason: str, number: int) -> str:
    pages = [skip.page for skip in skipped if skip.reason == reason][:_EXAMPLES]
    return f" ({', '.join(pages)}{', …' if number > len(pages) else ''})" if pages else ""
