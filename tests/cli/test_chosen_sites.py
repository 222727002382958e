"""An extension chooses the projects that `serve` and `mcp` answer about; without one, it is that of the folder."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from searchsocket.cli import sites
from searchsocket.cli.main import cli
from searchsocket.cli.options import with_options
from searchsocket.cli.sites import ServeRequest, Sites
from searchsocket.extensions.base import Extension


class Elsewhere(Sites):
    """Prints what it would serve."""

    def serve(self, request: ServeRequest) -> None:
        click.echo(f"{request.added['place']} {request.port} {[root.name for root in request.roots]}")


ELSEWHERE = Elsewhere()


EXTENSION = Extension(name="places", sites=f"{__name__}:ELSEWHERE")


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_the_core_answers_about_one_project(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "extensions", lambda: ())
    result = CliRunner().invoke(cli, [command, "--project", str(tmp_path), "--project", str(tmp_path)])
    assert result.exit_code == 2
    assert "remove the repeated --project" in result.stderr


def test_an_extension_adds_an_option_where_it_belongs_and_gets_its_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites, "extensions", lambda: (EXTENSION,))

    @click.command()
    @click.option("--port", default=1)
    @click.option("--last", default=2)
    def start(port: int, last: int, **added: object) -> None:
        request = {"prepare": lambda project: project, "dev": False, "libraries": None, "host": "", "workers": last}
        rest = {"drain_s": 0.0, "metrics_port": None, "json_lines": False}
        roots = (tmp_path / "docs",)
        sites.chosen_sites().serve(
            ServeRequest(roots=roots, added=added, port=port, **request, **rest)  # type: ignore[arg-type]
        )

    changed = with_options(start, [click.Option(["--place"], default="here")], after="port")
    assert [option.name for option in changed.params] == ["port", "place", "last"]
    assert [option.name for option in start.params] == ["port", "last"]
    assert CliRunner().invoke(changed, ["--place", "there"]).output == "there 1 ['docs']\n"
