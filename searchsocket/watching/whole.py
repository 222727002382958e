"""Whether a build folder holds a whole build: by what its builder left, what was there before, and silence at last."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from searchsocket.watching.builder import html_sizes, unwritten

BUILDER_SILENCE_S = 600.0  # after which a builder that made more pages than its build holds is taken to be gone
SILENCE_S = 20.0  # where only the build before tells that pages are missing: they may have been deleted


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a build must have lain still to be indexed, and what it seems to lack."""

    seconds: float
    missing: int = 0  # pages
    example: str = ""  # one of them, as a file in the build folder; "" = not known


@dataclass(slots=True)
class Wholeness:
    """Judges one look at a build folder after another.

    A time without a write tells nothing by itself: a builder that waits for a busy machine is as still as one that is
    done. A build that lacks pages waits longer, however still it lies.
    """

    settle_s: float
    live_pages: int = 0  # of the live generation, before anything was indexed
    pages: Mapping[str, int] | None = None  # HTML file -> bytes, of the build that was indexed last
    heeds_builder: bool = True  # not where that build was not what its builder had made, as after another tool

    def wait(self, build: str, root: Path) -> Wait:
        """How long this build must have lain still.

        Args:
            build: Absolute path of the folder; "" = what is indexed was built by nobody.
            root: The project's folder.
        """
        if not build:
            return Wait(self.settle_s)
        missing = unwritten(build, root) if self.heeds_builder else None
        if missing is not None:
            return self._wait(BUILDER_SILENCE_S, missing)
        there = html_sizes(build)
        if self.pages is None and len(there) < self.live_pages:
            return Wait(max(self.settle_s, SILENCE_S), self.live_pages - len(there))
        before = self.pages or {}
        gone = {page for page, size in before.items() if size and not there.get(page)}
        empty = {page for page, size in there.items() if not size and page not in before}
        return self._wait(SILENCE_S, sorted(gone | empty))

    def remember(self, build: str, root: Path) -> None:
        """Take what a build folder holds for whole: it was indexed."""
        if build:
            self.pages = html_sizes(build)
            self.heeds_builder = not unwritten(build, root)

    def _wait(self, seconds: float, missing: Sequence[str]) -> Wait:
        if not missing:
            return Wait(self.settle_s)
        return Wait(max(self.settle_s, seconds), len(missing), missing[0])
