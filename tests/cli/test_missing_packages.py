"""A command whose package is not installed names what to install."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli


@pytest.mark.parametrize("words", ["mcp", "mcp install --client claude-code", "serve --mcp --port 0"])
def test_a_command_for_agents_names_the_extra(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra `mcp` is no part of a plain installation."""
    (tmp_path / "build").mkdir()
    (tmp_path / "build/index.html").write_text("<main><h1>Budget</h1><p>A limit on spending.</p></main>")
    (tmp_path / "searchsocket.toml").write_text('[scope]\nmode = "fixed"\nfixed = "main"\n')
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli, ["index", "--quiet"]).exit_code == 0
    for module in [name for name in sys.modules if name.split(".")[0] in {"mcp", "mcp_types"}]:
        monkeypatch.delitem(sys.modules, module)
    for module in ("searchsocket.agents.server", "searchsocket.agents.server", "search_api.endpoints.mcp"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    for module in ("mcp", "mcp_types"):
        monkeypatch.setitem(sys.modules, module, None)
    result = CliRunner().invoke(cli, words.split())
    assert result.exit_code == 3
    assert "install 'searchsocket[mcp]'" in result.stderr
    assert not list(tmp_path.glob(".mcp.json"))
