"""Draw terminal.svg: what the commands print on a terminal, over a copy of the bundled site, which is indexed for it.

Run in the checkout: `python docs/images/draw_terminal.py`
"""

import io
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 116
COMMANDS = ('searchsocket search "what will embedding cost" --top-k 2', "searchsocket search BUDGET_EXCEEDED --top-k 1")
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def main() -> None:
    subprocess.run([sys.executable, ROOT / "examples/site_archive.py"], check=True)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as folder:
        site = shutil.copytree(
            ROOT / "examples/docs-site", Path(folder) / "docs-site", ignore=shutil.ignore_patterns("node_modules", ".*")
        )
        on_terminal("searchsocket index", site)
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "green"), command))
            console.print(Text.from_ansi(on_terminal(command, site).rstrip()), end="\n\n")
    # Rich's own frame fetches a font over the network.
    frame = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
        "Fira Code, monospace", FONT
    )
    svg = console.export_svg(title="searchsocket", theme=MONOKAI, code_format=frame, unique_id="terminal")
    (ROOT / "docs/images/terminal.svg").write_text(svg, encoding="utf-8")


def on_terminal(command: str, folder: Path) -> str:
    """What a command prints where it takes its output for a terminal of `COLUMNS` columns."""
    environ = {
        **os.environ,
        "COLUMNS": str(COLUMNS),
        "SEARCHSOCKET_CACHE": str(folder.parent / "cache"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    reader, writer = pty.openpty()
    words = shlex.split(command)
    with subprocess.Popen(words, cwd=folder, stdout=writer, stderr=subprocess.DEVNULL, env=environ):
        os.close(writer)
        parts = []
        while True:
            try:
                part = os.read(reader, 65_536)
            except OSError:  # the command has ended
                break
            if not part:
                break
            parts.append(part)
    os.close(reader)
    return b"".join(parts).decode().replace("\r\n", "\n")


if __name__ == "__main__":
    main()
