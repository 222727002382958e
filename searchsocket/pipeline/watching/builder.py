"""Marks of a builder that show that its build is complete, at any moment."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

_OUTPUT = os.path.join(".svelte-kit", "output")
_PAGES = os.path.join("prerendered", "pages")
# SvelteKit writes the first before it prerenders and the second behind it, in every version that has either.
_BEFORE, _AFTER = os.path.join("server", "manifest-full.js"), os.path.join("server", "manifest.js")
_HTML = (".html", ".htm")


def html_sizes(folder: str) -> dict[str, int]:
    """Path in `folder` -> bytes of every HTML file below it; what goes away meanwhile is left out."""
    return {os.path.relpath(path, folder): size for path, size in _files(folder)}


def unwritten(build: str, there: Mapping[str, int], root: Path) -> list[str] | None:
    """Pages that the builder made and that are not in its build, or not whole, by path; None where nothing tells.

    SvelteKit prerenders into its own folder first, from where an adapter copies it to the build that it emptied before:
    until each page lies there in its full length, the build is not whole. Where its own folder is indexed, it is not
    whole before what SvelteKit writes behind the last page is younger than that.

    Args:
        build: Absolute path of the folder that is indexed.
        there: What `html_sizes` says of it.
        root: The project's folder; nothing above it is looked at.
    """
    for folder in (build, *map(os.fspath, Path(build).parents)):
        if not f"{folder}{os.sep}".startswith(f"{root}{os.sep}"):
            break
        output = os.path.join(folder, _OUTPUT)
        if os.path.isdir(output):
            is_own = f"{build}{os.sep}".startswith(f"{output}{os.sep}")
            return _unfinished(build, there, output) if is_own else _uncopied(there, output)
    return None


def _uncopied(there: Mapping[str, int], output: str) -> list[str] | None:
    made = html_sizes(os.path.join(output, _PAGES))
    if not made:
        return None
    return sorted(path for path, size in made.items() if there.get(path) != size)


def _unfinished(build: str, there: Iterable[str], output: str) -> list[str] | None:
    before, after = (_changed_ns(os.path.join(output, name)) for name in (_BEFORE, _AFTER))
    if not before and not after:
        return None
    if after < before:
        return [os.path.relpath(os.path.join(output, _AFTER), build)]
    return sorted(path for path in there if _changed_ns(os.path.join(build, path)) > after)


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
