"""Decide if a build is complete: by the builder's files, the previous build, and finally a pause in writing."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

BUILDER_SILENCE_S = 600.0  # after this time, a builder that made more pages than its build contains counts as stopped
SILENCE_S = 20.0  # if only the previous build shows that pages are missing: they may be deleted
_OUTPUT = os.path.join(".svelte-kit", "output")
_PAGES = os.path.join("prerendered", "pages")
# Every version of SvelteKit that has these files writes the first before prerendering and the second after it.
_BEFORE, _AFTER = os.path.join("server", "manifest-full.js"), os.path.join("server", "manifest.js")
_HTML = (".html", ".htm")


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


def html_sizes(folder: str) -> dict[str, int]:
    """Map each HTML file below a folder, by relative path, to its size in bytes; deleted files are left out."""
    return {os.path.relpath(path, folder): size for path, size in _files(folder)}


def unwritten(build: str, build_sizes: Mapping[str, int], root: Path) -> list[str] | None:
    """The pages that the builder made and that are missing or incomplete in its build; None if that is unknown.

    SvelteKit prerenders into its own folder first. An adapter then empties the build folder and copies the pages to it:
    the build is complete once each page has its full length. If SvelteKit's own folder is indexed, it is complete once
    the file that SvelteKit writes last is newer than every page.

    Args:
        build: Absolute path of the folder that is indexed.
        there: The result of `html_sizes` for it.
        root: The project's folder; nothing above it is read.
    """
    for folder in (build, *map(os.fspath, Path(build).parents)):
        if not f"{folder}{os.sep}".startswith(f"{root}{os.sep}"):
            break
        output = os.path.join(folder, _OUTPUT)
        if os.path.isdir(output):
            is_own = f"{build}{os.sep}".startswith(f"{output}{os.sep}")
            return _incomplete_pages(build, build_sizes, output) if is_own else _missing_copies(build_sizes, output)
    return None


def _missing_copies(build_sizes: Mapping[str, int], output: str) -> list[str] | None:
    prerendered_sizes = html_sizes(os.path.join(output, _PAGES))
    if not prerendered_sizes:
        return None
    return sorted(path for path, size in prerendered_sizes.items() if build_sizes.get(path) != size)


def _incomplete_pages(build: str, build_pages: Iterable[str], output: str) -> list[str] | None:
    before, after = (_changed_ns(os.path.join(output, name)) for name in (_BEFORE, _AFTER))
    if not before and not after:
        return None
    if after < before:
        return [os.path.relpath(os.path.join(output, _AFTER), build)]
    return sorted(path for path in build_pages if _changed_ns(os.path.join(build, path)) > after)


def _changed_ns(path: str) -> int:
    with suppress(OSError):
        return os.stat(path).st_mtime_ns
    return 0


def _files(folder: str) -> Iterator[tuple[str, int]]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    yield from _files(entry.path)
                elif entry.name.endswith(_HTML):
                    yield entry.path, entry.stat(follow_symlinks=False).st_size
