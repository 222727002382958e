"""Files whose bytes are not used as they are: notebooks, and code whose name looks secret."""

import json

import pytest

from searchsocket.extensions.code.parsing.chunks import chunk_source
from searchsocket.extensions.code.parsing.reading import USUAL_READING, cells_of

CELLS = [
    {"cell_type": "markdown", "metadata": {"source": ["not this"]}, "source": ["# Totals\n", "of all orders"]},
    {
        "cell_type": "code",
        "execution_count": 1,
        "outputs": [{"data": {"text/plain": ["4711"]}, "source": "nor this"}],
        "source": ["def total(order):\n", '    return "a\\n" + order.total\n', "\n", "total(1)"],
    },
    {"cell_type": "code", "outputs": [], "source": "rows = 1\nlast = 2"},
]
NOTEBOOK = {"cells": CELLS, "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4, "nbformat_minor": 5}
TEXT = ["# # Totals", "# of all orders", "def total(order):", '    return "a\\n" + order.total', "total(1)", "rows = 1"]


def test_cells_of_a_notebook_are_at_the_lines_of_its_file() -> None:
    """Editors, `fetch` and `find` open the line that the search returns."""
    data = json.dumps(NOTEBOOK, indent=1).encode()
    lines, text = data.decode().split("\n"), cells_of(data).decode().split("\n")
    for line in TEXT:
        number = text.index(line)
        assert json.dumps(line.removeprefix("# "))[1:-1] in lines[number]
    assert [line for line in text if line] == [*TEXT, "last = 2"]


def test_a_notebook_on_one_line_has_its_cells_below_each_other() -> None:
    text = cells_of(json.dumps(NOTEBOOK).encode()).decode()
    assert text.split("\n\n") == [
        "# # Totals\n# of all orders",
        'def total(order):\n    return "a\\n" + order.total',
        "total(1)",
        "rows = 1\nlast = 2\n",
    ]


def test_a_notebook_of_the_third_version_is_read() -> None:
    cells = [{"cell_type": "code", "input": ["a = 1"]}, {"cell_type": "heading", "source": "Part"}]
    assert cells_of(json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode()) == b"a = 1\n\n# Part\n"


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"cells": 1}', b'{"cells": [', b"\xff", b"[" * 50_000, b"null"])
def test_bytes_that_are_no_notebook_stay_as_they_are(data: bytes) -> None:
    assert cells_of(data) == data


def test_definitions_of_a_notebook_are_found() -> None:
    text = USUAL_READING("notes/a.ipynb", json.dumps(NOTEBOOK, indent=1).encode()).decode()
    assert "total" in {symbol for chunk in chunk_source("a.ipynb", text, "python") for symbol in chunk.at.heading_path}


SOURCE = '''API_KEY = "swordfish"
password = "tunafish"
token = load_token()
def check(password: str, secret=None) -> bool:
    return password == settings.password
KEY = """-----BEGIN RSA PRIVATE KEY-----
MIIEpAIBAAKCAQEAx0123456789abcdefghij
klmnopqrstuvwxyz0123456789ABCDEFGHIJK
-----END RSA PRIVATE KEY-----"""
last = 1
'''


@pytest.mark.parametrize("path", ["src/credentials.py", "secrets/load.py", "src/my_secrets_store.py"])
def test_code_with_a_name_like_a_key_is_read_without_its_secrets(path: str) -> None:
    """Its lines stay where they are, and so does the code around the values."""
    text = USUAL_READING(path, SOURCE.encode()).decode()
    lines = text.split("\n")
    assert lines[:5] == [
        'API_KEY = "[redacted]"',
        'password = "[redacted]"',
        "token = load_token()",
        "def check(password: str, secret=None) -> bool:",
        "    return password == settings.password",
    ]
    assert "MIIE" not in text
    assert "klmnop" not in text
    assert lines.index("last = 1") == SOURCE.split("\n").index("last = 1")


def test_other_files_stay_as_they_are() -> None:
    for path in ("src/config.py", "src/secret.py"):
        assert USUAL_READING(path, SOURCE.encode()) == SOURCE.encode()
    assert USUAL_READING("src/credentials.bin", b"\0 password = 'swordfish'") == b"\0 password = 'swordfish'"
