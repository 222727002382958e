"""The files that `init` copies into a site."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from searchsocket.setup.client_files import component_files, handle_files

LANGUAGES = [(), ("de", "zh-tw", "no", "xx")]


@pytest.mark.parametrize("answers", [False, True])
@pytest.mark.parametrize("languages", LANGUAGES)
def test_no_copied_file_needs_one_that_is_not_copied(languages: tuple[str, ...], answers: bool) -> None:
    """Of the handle only its bundle and the types of its entry come along; of labels only those of the site."""
    files = {**dict(handle_files()), **dict(component_files(languages, answers=answers))}
    assert ("import './answers.js';" in files["components.js"]) == ("answers.js" in files) == answers
    assert {"handle.js", "handle.d.ts", "components.js"} <= set(files)
    for name, text in files.items():
        imports = re.findall(r"""\b(?:from|import)\s*\(?\s*["'`](\.{1,2}/[^"'`$]+)["'`]""", text)
        assert {module.removeprefix("./") for module in imports} <= set(files), name


@pytest.mark.parametrize(
    ("languages", "labels"),
    [((), set()), (("en",), set()), (("de-at", "no", "zh-tw", "xx"), {"de", "nb", "zh", "zh-hant"})],
)
def test_only_the_labels_of_the_sites_languages_are_copied(languages: tuple[str, ...], labels: set[str]) -> None:
    """A site in English gets one file."""
    names = {name for name, _ in component_files(languages)}
    assert names == {"components.js"} | {f"labels/{label}.js" for label in labels}


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.parametrize("languages", LANGUAGES)
def test_a_copy_with_fewer_labels_is_still_a_module(languages: tuple[str, ...], tmp_path: Path) -> None:
    for name, text in component_files(languages, answers=True):
        path = (tmp_path / name).with_suffix(".mjs")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        subprocess.run(["node", "--check", str(path)], check=True)
