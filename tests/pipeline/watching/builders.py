"""Builders that work in small steps, after each of which somebody may look."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

Pages = Mapping[str, str]  # file -> HTML


def write_slowly(folder: Path, pages: Pages) -> Iterator[None]:
    """Write pages one by one: an empty file, then half of it, then all."""
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for end in (0, len(text) // 2, len(text)):
            path.write_text(text[:end])
            yield


def empty_slowly(folder: Path) -> Iterator[None]:
    """Delete file by file, then the folders."""
    for path in sorted(folder.rglob("*.*")):
        path.unlink()
        yield
    shutil.rmtree(folder, ignore_errors=True)
    yield


def build_in_place(root: Path, pages: Pages) -> Iterator[None]:
    """Empty the build, then write it again, as most builders do."""
    yield from empty_slowly(root / "build")
    yield from write_slowly(root / "build", pages)


def prerender(root: Path, pages: Pages) -> Iterator[None]:
    """SvelteKit's own part: a manifest, the pages, the other manifest."""
    output = root / ".svelte-kit/output"
    shutil.rmtree(output, ignore_errors=True)
    yield
    (output / "server").mkdir(parents=True)
    (output / "server/manifest-full.js").write_text("export const manifest = {};")
    yield
    yield from write_slowly(output / "prerendered/pages", pages)
    (output / "server/manifest.js").write_text("export const manifest = {};")
    yield


def build_kit(root: Path, pages: Pages) -> Iterator[None]:
    """SvelteKit with `adapter-static`: prerender, empty the build, write assets, copy the pages."""
    yield from prerender(root, pages)
    yield from empty_slowly(root / "build")
    yield from write_slowly(root / "build", {"_app/version.json": '{"version": "1"}'})
    yield from write_slowly(root / "build", pages)
