"""Decide if a build is complete: by the builder's files, the previous build, and finally a pause in writing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from searchsocket.pipeline.watching.builder import html_sizes, unwritten

BUILDER_SILENCE_S = 600.0  # after this time, a builder that made more pages than its build contains counts as stopped
SILENCE_S = 20.0  # if only the previous build shows that pages are missing: they may be deleted


@dataclass(frozen=True, slots=True)
class Wait:
    """Time without writes that a build needs before it is indexed, and its missing pages."""

    seconds: float
    missing: int = 0  # pages
    example: str = ""  # one of them, as a file in the build folder; "" = unknown
    from_now: bool = False  # the time counts from now, since the folder itself may be old


@dataclass(slots=True)
class Wholeness:
    """Decides for successive checks of a build folder how long to wait.

    A pause in writing proves nothing: a builder on a busy machine may pause like one that has finished. A build with
    missing pages waits longer, no matter how long it has been unchanged.
    """

    settle_s: float
    live_pages: int = 0  # of the live generation, before the first run
    pages: Mapping[str, int] | None = None  # HTML file -> bytes, of the build that was indexed last
    heeds_builder: bool = True  # False if that build differed from the builder's output, e.g. after another tool
    folder: str = ""  # of that build
    _last_check: tuple[Mapping[str, int] | None, bool, str] = (None, True, "")

    def wait(self, build: str, root: Path) -> Wait:
        """Return the time without writes that this build needs.

        Args:
            build: Absolute path of the folder; "" = the source is not a build.
            root: The project's folder.
        """
        sizes = html_sizes(build) if build else {}
        unfinished = unwritten(build, sizes, root) if build else None
        self._last_check = (sizes if build else None), not unfinished, build
        if self.folder not in ("", build) and not html_sizes(self.folder):
            # Emptied, to be filled again: another source that could be indexed now is not the right one.
            return Wait(max(self.settle_s, SILENCE_S), len(self.pages or {}), from_now=True)
        if not build:
            return Wait(self.settle_s)
        if unfinished is not None and self.heeds_builder:
            return self._wait(BUILDER_SILENCE_S, unfinished)
        if self.pages is None and len(sizes) < self.live_pages:
            return Wait(max(self.settle_s, SILENCE_S), self.live_pages - len(sizes))
        before = self.pages or {}
        lost_pages = {page for page, size in before.items() if size and not sizes.get(page)}
        empty_pages = {page for page, size in sizes.items() if not size and page not in before}
        return self._wait(SILENCE_S, sorted(lost_pages | empty_pages))

    def remember(self) -> None:
        """Remember the build of the last `wait` as complete: it was indexed."""
        self.pages, self.heeds_builder, self.folder = self._last_check

    def _wait(self, seconds: float, missing: Sequence[str]) -> Wait:
        if not missing:
            return Wait(self.settle_s)
        return Wait(max(self.settle_s, seconds), len(missing), missing[0])
