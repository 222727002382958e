"""The provider's key: in no file that runs leave behind, and in nothing that a command or the service says."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from small_site import write_site

from search_api.app import create_app
from searchsocket.cli.main import cli
from searchsocket.project.project import open_project
from tests.models.embedders.openai_server import DIMENSIONS, KEY, Reply, Server, error, serve

ENVIRON = {"OPENAI_API_KEY": KEY}


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as listening:
        yield listening


@pytest.fixture
def root(tmp_path: Path, server: Server) -> Path:
    root = write_site(tmp_path / "site")
    text = f'[embeddings]\nprovider = "openai"\nbase_url = "{server.url}"\ndimensions = {DIMENSIONS}\n'
    (root / "searchsocket.toml").write_text(text)
    return root


def command(root: Path, name: str, *arguments: str) -> Result:
    return CliRunner(env=ENVIRON).invoke(cli, [name, *arguments, "--project", str(root)])


@pytest.mark.dagster
def test_no_file_and_no_word_holds_the_key(root: Path, server: Server) -> None:
    """Also where the provider says it back, with Dagster's own log on the screen."""
    echo = f"no such thing for the key {KEY}, Bearer {KEY}"
    outputs: list[Result] = []
    for reply in (
        error(401, "invalid_api_key", echo),
        error(404, "model_not_found", echo),
        Reply(body={"error": echo}),
    ):
        server.always = reply
        outputs += [command(root, "index", "--verbose"), command(root, "doctor")]
    assert [result.exit_code for result in outputs].count(0) == 0
    server.always = Reply()
    good = [
        command(root, "index", "--verbose", "--max-cost", "1"), command(root, "index", "--dry-run", "--json"),
        command(root, "doctor"), command(root, "doctor", "--json"), command(root, "status", "--json"),
        command(root, "config", "show"), command(root, "search", "harbour", "--json"),
    ]  # fmt: skip
    assert [result.exit_code for result in good] == [0] * len(good), [result.output for result in good]
    assert server.keys == {f"Bearer {KEY}"}
    app = create_app(open_project(root, ENVIRON), environ=ENVIRON)
    words = [result.output for result in (*outputs, *good)] + [json.dumps(app.openapi()), repr(vars(app.state))]
    assert not [text for text in words if KEY in text]
    files = [path for path in root.parent.rglob("*") if path.is_file()]
    assert {"costs.db", "embeddings.db", "state.db"} <= {path.name for path in files}
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_doctor_asks_the_provider_and_says_what_to_do(root: Path, server: Server) -> None:
    """One text of one token; a wrong key, no credit, nobody there and no key each have their own fix."""

    def model(**environ: str) -> dict[str, object]:
        result = CliRunner(env={"OPENAI_API_KEY": "", **environ}).invoke(
            cli, ["doctor", "--json", "--project", str(root)]
        )
        (line,) = [check for check in json.loads(result.stdout)["checks"] if check["name"] == "model"]
        return line  # type: ignore[no-any-return]

    assert model(**ENVIRON)["ok"]
    assert server.paid == ["a"]
    fixes = []
    for reply in (error(401, "invalid_api_key"), error(429, "insufficient_quota"), error(503, "overloaded")):
        server.always = reply
        line = model(**ENVIRON)
        assert not line["ok"]
        fixes.append(line["fix"])
    fixes.append(model()["fix"])
    assert [str(fix).partition(",")[0].partition(";")[0] for fix in fixes] == [
        "set a key that may use the model in "
        "$OPENAI_API_KEY", "add credit to the provider's account", "wait and run again",
        "set $OPENAI_API_KEY",
    ]  # fmt: skip
