"""The browser's and SvelteKit's files that come with this package, as a project gets its own copy of them.

The name `searchsocket` on npm is another project's, so nothing is installed from there.
"""

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import searchsocket

COPY = "a copy, made by `searchsocket init`"
_HEAD = """\
// @ts-nocheck
/* eslint-disable */
// searchsocket {version}: {copy}; run it again after an update.
"""


_HEAD_CHARS = 400


def bundle_folder() -> Path:
    """The folder of the built files: in the package, or next to it in a checkout.

    Raises:
        FileNotFoundError: Nowhere: the package was not built as it should be.
    """
    package = Path(searchsocket.__file__).parent
    for folder in (package / "client", package.parent / "clients/js/dist"):
        if (folder / "handle.js").is_file():
            return folder
    raise FileNotFoundError(f"{package / 'client'} does not contain the browser files")


def handle_files() -> Iterator[tuple[str, str]]:
    """(name, text) of the SvelteKit handle and its types."""
    folder = bundle_folder()
    yield "handle.js", _copy(folder / "handle.js")
    yield "handle.d.ts", _copy(folder / "handle.d.ts")


def is_copy(text: str) -> bool:
    """Return True if `init` wrote the file."""
    return COPY in text[:_HEAD_CHARS]


def component_files() -> Iterator[tuple[str, str]]:
    """(name, text) of the search component and its languages."""
    folder = bundle_folder()
    for path in (folder / "components.js", *sorted(folder.glob("labels/*.js"))):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), _copy(path)


def _copy(path: Path) -> str:
    return _HEAD.format(version=version("searchsocket"), copy=COPY) + path.read_text(encoding="utf-8")
