"""The source of a scope's pages, and skipped pages, in words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from searchsocket.pipeline.run.numbers import Numbers, PageNumbers
from searchsocket.pipeline.run.results import Skipped, StageResult

_NAMED = 5


@dataclass(frozen=True, slots=True)
class PagesOrigin:
    """The source of a scope's pages, and the skipped pages."""

    source: Mapping[str, str]  # see `SourceOrigin.facts`
    skipped: Sequence[Skipped]  # the first few of each stage
    skip_reasons: Mapping[str, int]  # counts of all skipped pages


def origin_of_pages(results: Sequence[StageResult[Numbers]]) -> PagesOrigin:
    """Collect the origin from the stages' results; empty for stages that did not run."""
    return PagesOrigin(
        source=next((result.facts for result in results if isinstance(result.numbers, PageNumbers)), {}),
        skipped=[page for result in results for page in result.skipped],
        skip_reasons=dict(sum((Counter(result.skip_reasons) for result in results), Counter[str]())),
    )


def skipped_words(skipped: Sequence[Skipped], reasons: Mapping[str, int]) -> str:
    """The skipped pages: by name if there are few, otherwise a count per reason; "" if there are none."""
    total = sum(reasons.values())
    if total <= _NAMED and len(skipped) == total:
        return ", ".join(f"{skip.page} ({skip.reason})" for skip in skipped)
    often = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    words = [f"{number:,} {reason}" for reason, number in often[:_NAMED]]
    others = sum(number for _, number in often[_NAMED:])
    return ", ".join([*words, f"{others:,} for other reasons"] if others else words)
