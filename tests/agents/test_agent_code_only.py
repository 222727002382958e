"""Agents in a repository without a site: its source code is indexed when it is asked for, and is never out of date."""

import random
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from search_api.app import create_app
from searchsocket.agents.checkout import CheckoutLibraries, project_around
from searchsocket.agents.server import make_server
from searchsocket.extensions.code.serving import part as code_keeper
from searchsocket.extensions.code.serving import upkeep as code_upkeep
from searchsocket.project.project import open_project
from tests.agents.agent_project import ERAS, call, list_tools, offering, talk, text_of
from tests.agents.test_agent_stdio import COMMAND, git
from tests.api_client import ENVIRON as API
from tests.api_client import KEY
from tests.extensions.code.code_project import FILES
from tests.extensions.code.trees import grow
from tests.models.embedders import openai_server
from tests.running_service import listening

TOOLS_OF_CODE = ["search_code", "find_code", "fetch", "status", "sync"]
ENVIRON = {"SEARCHSOCKET__EMBEDDINGS__PROVIDER": "hash"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository that was never indexed, and has no configuration."""
    folder = grow(tmp_path / "robot", FILES)
    git(folder, "init", "-q", "-b", "main")
    return folder


def server(root: Path, **changes: str) -> Any:
    return make_server(CheckoutLibraries(project_around(root), {**ENVIRON, **changes}), structured=True)


def search(server: Any, query: str, mode: str = "legacy", **more: Any) -> CallToolResult:
    return call(server, "search_code", mode, query=query, **more)


def define(root: Path, name: str, words: str, file: str = "src/steps.py") -> None:
    path = root / file
    path.write_text(f'{path.read_text() if path.exists() else ""}\n\ndef {name}(value):\n    """{words}"""\n')


def symbols(answer: CallToolResult) -> list[str]:
    assert not answer.is_error, text_of(answer)
    return [result["symbol"] for result in answer.structured_content["results"]]  # type: ignore[index]


@pytest.mark.parametrize("mode", ERAS)
def test_a_repository_that_was_never_indexed_is_asked_at_once(root: Path, mode: str) -> None:
    """Over stdin and stdout, from a folder below its top; the state is nothing that git sees."""
    started = StdioServerParameters(command=str(COMMAND), args=["mcp"], cwd=str(root / "src"), env=ENVIRON)

    async def about(client: Client) -> Any:
        names = [tool.name for tool in (await client.list_tools()).tools]
        first = await client.call_tool("search_code", {"query": "verifyToken"})
        define(root, "fold_a_kite", "Folds a kite of paper.")
        return names, client.instructions, first, await client.call_tool("search_code", {"query": "fold a kite"})

    names, instructions, first, second = talk(stdio_client(started), about, mode)
    assert names == TOOLS_OF_CODE
    assert "get_page" not in (instructions or "")  # of the new era they come with a discovery alone
    assert "src/auth/token.ts:1-6 function verifyToken" in text_of(first)
    assert "function fold_a_kite" in text_of(second)
    assert ".searchsocket" not in git(root, "status", "--short")


def test_the_tools_are_there_wherever_an_index_is(root: Path) -> None:
    (root / "searchsocket.toml").write_text('[source]\nmode = "static-output"\n')
    assert "search_code" not in [tool.name for tool in list_tools(server(root))]
    shutil.move(root / "searchsocket.toml", root / "off.toml")
    assert not call(server(root), "sync").is_error
    assert [tool.name for tool in list_tools(server(root))] == TOOLS_OF_CODE
    shutil.move(root / "off.toml", root / "searchsocket.toml")
    assert [tool.name for tool in list_tools(server(root))] == ["search", "get_page", *TOOLS_OF_CODE, "ask"]


def test_a_large_first_index_explains_how_to_start_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_keeper, "MAX_FIRST_FILES", 2)
    agent = server(root)
    refused = search(agent, "verifyToken")
    assert refused.is_error
    assert "it is 5 files and 0.0 MB, and a first question indexes at most 2 files and 20 MB; call `sync`" in text_of(
        refused
    )
    assert "is not indexed; sync indexes it" in text_of(call(agent, "status"))
    assert "5 files, " in text_of(call(agent, "sync"))
    assert symbols(search(agent, "verifyToken"))[0] == "verifyToken"


def test_a_folder_that_is_no_repository_is_not_walked_unasked(tmp_path: Path) -> None:
    """It may be a home, or a whole disk."""
    folder = grow(tmp_path / "home", FILES)
    refused = search(server(folder), "verifyToken")
    assert "has no index yet; run `searchsocket index --only code" in text_of(refused)
    assert not (folder / ".searchsocket").exists()


def test_an_agent_that_may_not_sync_is_told_what_to_run(root: Path) -> None:
    assert not call(server(root), "sync").is_error
    agent = server(root, SEARCHSOCKET__MCP__SYNC="false")
    assert "sync" not in [tool.name for tool in list_tools(agent)]
    define(root, "fold_a_kite", "Folds a kite of paper.")
    answer = search(agent, "kite of paper")
    assert "fold_a_kite" not in symbols(answer)
    note = "Note FILES_CHANGED: 1 file changed since it was indexed: not searched yet; run `searchsocket code sync`"
    assert note in text_of(answer)
    assert answer.structured_content["notes"][0]["code"] == "FILES_CHANGED"  # type: ignore[index]


def test_many_changes_are_named_and_wait_for_a_sync(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = server(root)
    search(agent, "verifyToken")
    monkeypatch.setattr(code_keeper, "MAX_CHANGED", 2)
    for number in range(3):
        define(root, f"fold_kite_{number}", "Folds a kite of paper.", f"src/kites_{number}.py")
    answer = search(agent, "kite of paper")
    assert "3 files changed since it was indexed: not searched yet; call `sync`" in text_of(answer)
    assert "new: src/kites_0.py, src/kites_1.py, src/kites_2.py\nNot up to date." in text_of(call(agent, "status"))
    everywhere = call(agent, "find_code", query="kite of paper").structured_content
    assert everywhere
    assert [occurrence["file"] for occurrence in everywhere["occurrences"]] == [f"src/kites_{n}.py" for n in range(3)]
    assert "3 written" in text_of(call(agent, "sync"))
    assert "FILES_CHANGED" not in text_of(search(agent, "kite of paper"))
    assert set(symbols(search(agent, "kite of paper", limit=3))) == {f"fold_kite_{n}" for n in range(3)}


def test_a_new_file_that_was_found_can_be_fetched(root: Path) -> None:
    agent = server(root)
    search(agent, "verifyToken")
    define(root, "fold_a_kite", "Folds a kite of paper.", "src/kites.py")
    assert not call(agent, "fetch", file="src/kites.py", lines="1-4").is_error


def test_a_sync_that_fails_is_said_and_not_tried_for_every_question(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = server(root)
    search(agent, "verifyToken")
    define(root, "fold_a_kite", "Folds a kite of paper.")
    tries: list[object] = []

    def fail(*arguments: object, **_: object) -> None:
        tries.append(arguments)
        raise code_keeper.InvalidRequest("the disk is made of paper")

    monkeypatch.setattr("searchsocket.extensions.code.serving.upkeep.sync_code", fail)
    assert "they cannot be indexed: the disk is made of paper" in text_of(search(agent, "verifyToken"))
    assert "1 file changed since it was indexed: a sync did not index it" in text_of(search(agent, "verifyToken"))
    assert len(tries) == 1


def test_the_files_of_a_branch_are_written_to_no_other(root: Path, tmp_path: Path) -> None:
    (root / "searchsocket.toml").write_text('[scope]\nmode = "git"\n[code]\nenable = true\n')
    git(root, "add", "-A")
    git(root, "commit", "-qm", "1")
    agent = server(root)
    search(agent, "verifyToken")
    git(root, "checkout", "-q", "-b", "other")
    define(root, "fold_a_kite", "Folds a kite of paper.")
    assert "fold_a_kite" not in symbols(search(agent, "kite of paper", scope="main"))
    assert "scope 'main' is not checked out here" in text_of(call(agent, "sync", scope="main"))
    assert symbols(search(agent, "kite of paper"))[0] == "fold_a_kite"


@pytest.mark.parametrize("seed", [*(pytest.param(seed, marks=pytest.mark.long) for seed in range(2)), 2])
def test_each_question_knows_of_every_edit_before_it(root: Path, seed: int) -> None:
    """Functions are added, renamed, moved and removed, files too: each is found, or gone, with the next question."""
    pick, agent = random.Random(seed), server(root)
    words = [
        f"{first}{last}" for first in ("amber", "cobalt", "violet", "ochre") for last in ("lantern", "anchor", "kite")
    ]
    pick.shuffle(words)
    there: dict[str, str] = {}  # name -> file
    for number, word in enumerate(words):
        name, file = f"count_{word}", pick.choice(["src/steps.py", f"src/new_{number}.py", "lib/deep/er.py"])
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        define(root, name, f"Count each {word}.", file)
        there[name] = file
        best = search(agent, name, limit=1)
        assert symbols(best) == [name]
        assert best.structured_content["results"][0]["file"] == file  # type: ignore[index]
        if pick.random() < 0.5:
            deleted_file = pick.choice(sorted(there))
            path = root / there.pop(deleted_file)
            if pick.random() < 0.3 and path.name.startswith("new_"):
                path.unlink()
                there = {one: where for one, where in there.items() if root / where != path}
            else:
                path.write_text(path.read_text().replace(deleted_file, f"was_{deleted_file[::-1]}"))
            assert deleted_file not in symbols(search(agent, deleted_file, limit=5))


def test_a_question_that_waits_too_long_says_so_and_the_work_goes_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, may_go_on = server(root), threading.Event()
    sync = code_upkeep.sync_code

    def slow(*arguments: Any, **others: Any) -> Any:
        assert may_go_on.wait(60)
        return sync(*arguments, **others)

    monkeypatch.setattr(code_upkeep, "sync_code", slow)
    monkeypatch.setattr(code_keeper, "FIRST_WAIT_S", 0.01)
    first = search(agent, "verifyToken")
    text = text_of(first)
    assert text.startswith("BUSY: 5 files and 0.0 MB are being indexed (0 s so far, at least 1 s in all); send the")
    assert first.structured_content["error"]["retryable"]  # type: ignore[index]
    monkeypatch.setattr(code_keeper, "FIRST_WAIT_S", 60)
    may_go_on.set()
    assert symbols(search(agent, "verifyToken"))[0] == "verifyToken"

    may_go_on.clear()
    monkeypatch.setattr(code_keeper, "WAIT_S", 0.01)
    define(root, "fold_a_kite", "Folds a kite of paper.")
    late = search(agent, "verifyToken")
    assert "Note FILES_CHANGED: files changed since it was indexed and were not searched; they are being" in text_of(
        late
    )
    monkeypatch.setattr(code_keeper, "WAIT_S", 60)
    may_go_on.set()
    assert symbols(search(agent, "kite of paper", limit=1)) == ["fold_a_kite"]


@pytest.mark.parametrize("mode", ERAS)
def test_a_service_names_changes_and_indexes_them_if_it_may(root: Path, mode: str) -> None:
    """Over HTTP, as `serve --mcp` and `mcp --transport http` start it."""
    assert not call(server(root), "sync").is_error
    define(root, "fold_a_kite", "Folds a kite of paper.")
    for sync, expected_text in ((None, "run `searchsocket code sync`"), (True, "function fold_a_kite")):
        project = offering(open_project(root, ENVIRON), enable=True, sync=sync)
        with listening(create_app(project, environ=API, host="127.0.0.1")) as port:
            http = httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"})
            transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)

            async def about(client: Client) -> Any:
                names = [tool.name for tool in (await client.list_tools()).tools]
                return names, await client.call_tool("search_code", {"query": "kite of paper"})

            names, result = talk(transport, about, mode)
        assert ("sync" in names) == bool(sync)
        assert expected_text in text_of(result)


@pytest.fixture
def provider() -> Iterator[openai_server.Server]:
    with openai_server.serve() as listening_server:
        yield listening_server


def paid(provider: openai_server.Server, **changes: str) -> dict[str, str]:
    """The environment of a paid provider."""
    return {
        "SEARCHSOCKET__EMBEDDINGS__PROVIDER": "openai",
        "SEARCHSOCKET__EMBEDDINGS__BASE_URL": provider.url,
        "SEARCHSOCKET__EMBEDDINGS__API_KEY_ENV": "",
        "SEARCHSOCKET__EMBEDDINGS__MODEL": "small",
        "SEARCHSOCKET__EMBEDDINGS__DIMENSIONS": str(openai_server.DIMENSIONS),
        "SEARCHSOCKET__EMBEDDINGS__PRICE_PER_MILLION_TOKENS_USD": "1000.0",
        "SEARCHSOCKET__EMBEDDINGS__QUERY_TIMEOUT_S": "20.0",
        **changes,
    }


def test_a_question_pays_for_no_file_without_a_budget(root: Path, provider: openai_server.Server) -> None:
    """The answer comes from the index as it is, and says what changed and what to run."""
    agent = server(root, **paid(provider))
    for tool, arguments in (("search_code", {"query": "verifyToken"}), ("sync", {})):
        refused = call(agent, tool, **arguments)
        text = text_of(refused)
        assert text.startswith("BUDGET_MISSING: embedding with openai-small-512 costs money, and no budget is set; run")
    assert provider.requests == []

    budget = {"SEARCHSOCKET__COSTS__BUDGET__RUN_USD": "1000"}
    first = text_of(search(server(root, **paid(provider, **budget)), "verifyToken"))
    assert "Note FILES_INDEXED: 5 files were indexed for the first time, in" in first
    assert "the embedding provider charged $" in first

    define(root, "fold_a_kite", "Folds a kite of paper.")
    provider.paid.clear()
    answer = text_of(search(server(root, **paid(provider)), "kite of paper"))
    assert "Note FILES_CHANGED: 1 file changed since it was indexed: not searched yet; embedding with openai-" in answer
    assert provider.paid == ["kite of paper"]  # the query alone


def test_a_question_pays_within_the_budget_and_says_so(root: Path, provider: openai_server.Server) -> None:
    environ = paid(provider, SEARCHSOCKET__COSTS__BUDGET__MONTH_USD="1000")
    agent = server(root, **environ)
    assert "The embedding provider charged $" in text_of(call(agent, "sync"))
    define(root, "fold_a_kite", "Folds a kite of paper.")
    answer = text_of(search(agent, "kite of paper", limit=1))
    assert "fold_a_kite" in answer
    assert "Note FILES_INDEXED: changed files were indexed first; the embedding provider charged $" in answer
    define(root, "fly_a_kite", "Flies a kite of paper.")
    poor = text_of(search(server(root, **environ, SEARCHSOCKET__COSTS__BUDGET__RUN_USD="0.0"), "kite of paper"))
    assert "they cannot be indexed: embedding would cost about $" in poor


def test_a_provider_without_a_price_needs_no_budget(root: Path, provider: openai_server.Server) -> None:
    """Such as a server of one's own."""
    free = {"SEARCHSOCKET__EMBEDDINGS__PRICE_PER_MILLION_TOKENS_USD": "0.0"}
    assert symbols(search(server(root, **paid(provider, **free)), "verifyToken"))[0] == "verifyToken"


def test_an_answer_with_fewer_occurrences_than_the_limit_says_why(root: Path) -> None:
    (root / "src" / "many.py").write_text(
        "".join(f"value_{n} = needle({n}, 'some text to fill a line')\n" for n in range(900))
    )
    agent = server(root)
    few = text_of(call(agent, "find_code", query="needle", limit=20))
    assert "20 occurrences are here: `limit` allows no more." in few
    many = text_of(call(agent, "find_code", query="needle", limit=1_000))
    assert "occurrences are here: more do not fit in one answer." in many
    assert "900 occurrences in 1 file" in many
