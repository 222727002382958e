"""Fail when requirements.lock no longer fits pyproject.toml: resolving again must change nothing.

Run by `make check`. It asks the package index, so it is no unit test.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Resolve into a copy of the lock, which keeps its pins wherever they still fit."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "requirements.lock"
        shutil.copy(ROOT / "requirements.lock", copy)
        subprocess.run(
            [
                ROOT / ".venv/bin/uv", "pip", "compile", "-q", "--group", "bench", "--all-extras", "--universal",
                "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url", "--no-annotate", "--no-header",
                "-o", copy, "pyproject.toml",
            ],
            cwd=ROOT,
            check=True,
        )  # fmt: skip
        if copy.read_text() == (ROOT / "requirements.lock").read_text():
            return 0
    print("requirements.lock does not fit pyproject.toml; run `make lock`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
