"""Decide if a build is complete: by the builder's marks, the previous build, and finally a pause in writing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from searchsocket.pipeline.watching.builder import html_sizes, unwritten

BUILDER_SILENCE_S = 600.0  # after which a builder that made more pages than its build holds is taken to be gone
SILENCE_S = 20.0  # where only the build before tells that pages are missing: they may have been deleted


@dataclass(frozen=True, slots=True)
class Wait:
    """Time without writes that a build needs before it is indexed, and pages that it seems to lack."""

    seconds: float
    missing: int = 0  # pages
    example: str = ""  # one of them, as a file in the build folder; "" = not known
    from_now: bool = False  # it lies still since it is looked at: what it lies in may be old


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
    folder: str = ""  # of that build
    _looked: tuple[Mapping[str, int] | None, bool, str] = (None, True, "")

    def wait(self, build: str, root: Path) -> Wait:
        """The time without writes that this build needs.

        Args:
            build: Absolute path of the folder; "" = what would be indexed was built by nobody.
            root: The project's folder.
        """
        there = html_sizes(build) if build else {}
        unfinished = unwritten(build, there, root) if build else None
        self._looked = (there if build else None), not unfinished, build
        if self.folder not in ("", build) and not html_sizes(self.folder):
            # Emptied, to be filled again: whatever else could be indexed meanwhile is not what is meant.
            return Wait(max(self.settle_s, SILENCE_S), len(self.pages or {}), from_now=True)
        if not build:
            return Wait(self.settle_s)
        if unfinished is not None and self.heeds_builder:
            return self._wait(BUILDER_SILENCE_S, unfinished)
        if self.pages is None and len(there) < self.live_pages:
            return Wait(max(self.settle_s, SILENCE_S), self.live_pages - len(there))
        before = self.pages or {}
        gone = {page for page, size in before.items() if size and not there.get(page)}
        empty = {page for page, size in there.items() if not size and page not in before}
        return self._wait(SILENCE_S, sorted(gone | empty))

    def remember(self) -> None:
        """Take what `wait` looked at last for whole: it was indexed."""
        self.pages, self.heeds_builder, self.folder = self._looked

    def _wait(self, seconds: float, missing: Sequence[str]) -> Wait:
        if not missing:
            return Wait(self.settle_s)
        return Wait(max(self.settle_s, seconds), len(missing), missing[0])
