"""Copy the browser and SvelteKit files of this package into a project, with labels in the languages of its site.

A copy needs no registry and has the version of the command; on npm the package is `searchsocket-client`.
"""

import os
import re
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

import searchsocket

COMPONENT = "components.js"
ANSWERS = "answers.js"
COPY = "a copy, made by `searchsocket init`"
_HEAD = """\
// @ts-nocheck
/* eslint-disable */
// searchsocket {version}: {copy}; run it again after an update.
"""

_HEAD_CHARS = 400
_LABEL_IMPORT = re.compile(r"""(?:"[\w-]+"|\w+):\(\)=>import\("\./labels/([\w-]+)\.js"\),?""")
_MAX_FILES = 500
_HEAD_BYTES = 2_000
_LANG = re.compile(rb"<html\b[^>]{0,500}?\blang\s*=\s*[\"']?([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*)", re.IGNORECASE)
# A quoted code in a configuration, or a key whose value is an object: `locales: ['en', 'de']`, `de: {`. A wrong match
# costs one small file.
_CODE = re.compile(
    r"['\"]([a-z]{2}(?:-[A-Za-z]{2,4})?)['\"]|\b([a-z]{2}(?:-[A-Za-z]{2,4})?)\s*:\s*(?:\{|$)", re.MULTILINE
)


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


def component_files(languages: Collection[str] = (), *, answers: bool = False) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of the search component and its labels in these languages; English is in the component.

    Args:
        languages: BCP 47 codes in lower case, such as `de` or `zh-tw`.
        answers: True if the component loads the script for answers in sentences.
    """
    folder = bundle_folder()
    names = {name for language in languages for name in _label_names(language)}
    labels = [path for path in sorted(folder.glob("labels/*.js")) if path.stem in names]
    stems = {path.stem for path in labels}
    names_of_scripts = (COMPONENT, *([ANSWERS] if answers else []))
    for name in names_of_scripts:
        # A bundler refuses an import of a missing file.
        text = _LABEL_IMPORT.sub(lambda entry: entry[0] if entry[1] in stems else "", _copy(folder / name))
        yield name, f"{text.rstrip()}\nimport './{ANSWERS}';\n" if answers and name == COMPONENT else text
    for path in labels:
        yield path.relative_to(folder).as_posix(), _copy(path)


def _label_names(language: str) -> tuple[str, ...]:
    """Return the names of label files for a language, as in `clients/js/src/labels/shipped.ts`."""
    base = language.replace("_", "-").split("-")[0]
    return ("zh", "zh-hant") if base == "zh" else ({"no": "nb", "nn": "nb", "iw": "he", "in": "id"}.get(base, base),)


def _copy(path: Path) -> str:
    return _HEAD.format(version=searchsocket.__version__, copy=COPY) + path.read_text(encoding="utf-8")


def languages_of_build(folder: Path) -> frozenset[str]:
    """Return the values of `<html lang>` in the first pages of a built site, in lower case."""
    codes = (_LANG.search(_head(path)) for path in islice(_pages(folder), _MAX_FILES))
    return frozenset(match[1].decode("ascii").lower() for match in codes if match)


def languages_in(configuration: str) -> frozenset[str]:
    """Return the language codes in the text of a configuration, in lower case."""
    return frozenset((match[1] or match[2]).lower() for match in _CODE.finditer(configuration))


def _pages(folder: Path) -> Iterator[Path]:
    """Yield the HTML files level by level, so that the start page of each language is among the first."""
    level = [folder]
    while level:
        below: list[Path] = []
        for parent in level:
            try:
                with os.scandir(parent) as entries:
                    names = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                continue
            yield from (Path(entry.path) for entry in names if entry.name.endswith(".html") and entry.is_file())
            below += [Path(entry.path) for entry in names if entry.is_dir(follow_symlinks=False)]
        level = below


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return b""
