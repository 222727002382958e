"""Copy the browser and SvelteKit files of this package into a project.

They are not installed from npm, where the name `searchsocket` belongs to another project.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

import searchsocket

COPY = "a copy, made by `searchsocket init`"
_HEAD = """\
// @ts-nocheck
/* eslint-disable */
// searchsocket {version}: {copy}; run it again after an update.
"""


_HEAD_CHARS = 400
_LABEL_IMPORT = re.compile(r"""(?:"[\w-]+"|\w+):\(\)=>import\("\./labels/([\w-]+)\.js"\),?""")


def bundle_folder() -> Path:
    """Return the folder of the built files: in the package, or next to it in a checkout.

    Raises:
        FileNotFoundError: The package was built without these files.
    """
    package = Path(searchsocket.__file__).parent
    for folder in (package / "client", package.parent / "clients/js/dist"):
        if (folder / "handle.js").is_file():
            return folder
    raise FileNotFoundError(f"{package / 'client'} does not contain the browser files")


def handle_files() -> Iterator[tuple[str, str]]:
    """Yield (name, text) of the SvelteKit handle and its types."""
    folder = bundle_folder()
    yield "handle.js", _copy(folder / "handle.js")
    yield "handle.d.ts", _copy(folder / "handle.d.ts")


def is_copy(text: str) -> bool:
    """Return True if `init` wrote the file."""
    return COPY in text[:_HEAD_CHARS]


def component_files(languages: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of the search component and its labels in these languages; English is in the component.

    Args:
        languages: BCP 47 codes in lower case, such as `de` or `zh-tw`.
    """
    folder = bundle_folder()
    names = {name for language in languages for name in _label_names(language)}
    labels = [path for path in sorted(folder.glob("labels/*.js")) if path.stem in names]
    stems = {path.stem for path in labels}
    component = _copy(folder / "components.js")
    # A bundler refuses an import of a missing file.
    yield "components.js", _LABEL_IMPORT.sub(lambda entry: entry[0] if entry[1] in stems else "", component)
    for path in labels:
        yield path.relative_to(folder).as_posix(), _copy(path)


def _label_names(language: str) -> tuple[str, ...]:
    """Return the names of label files for a language, as in `clients/js/src/labels/shipped.ts`."""
    base = language.replace("_", "-").split("-")[0]
    return ("zh", "zh-hant") if base == "zh" else ({"no": "nb", "nn": "nb", "iw": "he", "in": "id"}.get(base, base),)


def _copy(path: Path) -> str:
    return _HEAD.format(version=searchsocket.__version__, copy=COPY) + path.read_text(encoding="utf-8")
