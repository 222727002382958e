"""The files that `init` copies into a site."""

import re

from searchsocket.setup.client_files import component_files, handle_files


def test_no_copied_file_needs_one_that_is_not_copied() -> None:
    """Of the handle only its bundle and the types of its entry come along."""
    files = {**dict(handle_files()), **dict(component_files())}
    assert {"handle.js", "handle.d.ts", "components.js"} <= set(files)
    for name, text in files.items():
        imports = re.findall(r"""\b(?:from|import)\s*\(?\s*["'`](\.{1,2}/[^"'`$]+)["'`]""", text)
        assert {module.removeprefix("./") for module in imports} <= set(files), name
