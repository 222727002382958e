"""Detect from the files of a site builder if its build is complete."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

_OUTPUT = os.path.join(".svelte-kit", "output")
_PAGES = os.path.join("prerendered", "pages")
# Every version of SvelteKit that has these files writes the first before prerendering and the second after it.
_BEFORE, _AFTER = os.path.join("server", "manifest-full.js"), os.path.join("server", "manifest.js")
_HTML = (".html", ".htm")


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
