"""`searchsocket completion`, in the shells themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("searchsocket")
ENVIRON = {**os.environ, "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"}
# What a shell does when Tab is pressed after the words, and then prints what it would offer.
SCRIPTS = {
    "bash": """eval "$(searchsocket completion bash)"
        COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _searchsocket_completion searchsocket
        printf '%s\\n' "${{COMPREPLY[@]}}" """,
    # Its completion needs somebody who types, so what it would be handed is printed.
    "zsh": """compdef() {{ }}; eval "$(searchsocket completion zsh)"
        _describe() {{ print -l -- ${{(P)3}} }}; compadd() {{ print -l -- ${{(P)5}} }}
        words=({words}); CURRENT=${{#words}}; _searchsocket_completion""",
    "fish": """searchsocket completion fish | source; complete -C "{words}" """,
}


def offered(shell: str, words: str) -> list[str]:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    quiet = {"zsh": ["-f"], "bash": ["--norc"], "fish": ["-N"]}[shell]
    script = SCRIPTS[shell].format(words=words)
    result = subprocess.run([program, *quiet, "-c", script], env=ENVIRON, capture_output=True, text=True, check=False)
    assert not result.stderr, result.stderr
    return [line.replace(":", "\t").split("\t")[0] for line in result.stdout.splitlines()]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_shell_completes_commands_options_and_values(shell: str) -> None:
    assert offered(shell, "searchsocket ro") == ["rollback"]
    assert offered(shell, "searchsocket cache cl") == ["clear"]
    assert offered(shell, "searchsocket search --group-by p") == ["page"]
    assert {"--top-k", "--tag"} <= set(offered(shell, "searchsocket search --t"))
