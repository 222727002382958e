"""The protocol of a line in and a line out: its order, its ids, and that nothing ends it but its input."""

import io
import json
import math
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.code.hostile import damaged_lines
from searchsocket.extensions.code.chunk_ids import ChunkIds
from searchsocket.extensions.code.home import code_home
from searchsocket.extensions.code.jsonl import MAX_CHUNK_ID, LineServer, Opened
from searchsocket.extensions.code.search.candidates import query_terms
from searchsocket.extensions.code.serving.service import open_code
from searchsocket.extensions.code.serving.upkeep import open_upkeep
from searchsocket.project.project import open_project
from searchsocket.text.token_count import count_tokens
from searchsocket.text.words import index_words
from tests.extensions.code.code_project import CodeProject
from tests.extensions.code.trees import grow

COMMAND = str(Path(sys.executable).parent / "searchsocket")


def server_of(code: CodeProject) -> LineServer:
    project = code.project
    ids = ChunkIds(code_home(project).state_dir)

    def opened() -> Opened:
        current = open_project(code.root, {})
        return open_code(current, {}), open_upkeep(current, {})

    return LineServer(opened, ids, "main", _raise)


def _raise(error: BaseException) -> None:
    raise error


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> LineServer:
    code = CodeProject(tmp_path_factory.mktemp("lines") / "site")
    code.index()
    return server_of(code)


@pytest.fixture
def code(tmp_path: Path) -> CodeProject:
    return CodeProject(tmp_path / "site")


def ask(server: LineServer, **request: object) -> Any:
    answer = server.answer(json.dumps(request).encode())
    assert answer["ok"], answer
    assert answer["op"] == request["op"]
    return answer["data"]


def replies(server: LineServer, request_bytes: bytes) -> list[dict[str, Any]]:
    answers = io.BytesIO()
    server.serve(io.BytesIO(request_bytes), answers)
    return [json.loads(line) for line in answers.getvalue().split(b"\n")[:-1]]


def test_the_flow_of_an_agent(code: CodeProject) -> None:
    server = server_of(code)
    assert ask(server, op="status")["dirty"]
    assert ask(server, op="sync")["changed"]
    assert not ask(server, op="status")["dirty"]
    best, *_ = ask(server, op="search", q="verifyToken")
    assert {"chunk_id", "path", "start_line", "end_line", "score", "snippet", "why"} <= set(best)
    assert best["why"] == ["verifytoken", "verify", "token"]
    [lines] = ask(server, op="fetch", ids=[best["chunk_id"]], max_lines=1)
    assert (lines["path"], lines["lines"]) == (best["path"], [f"{best['start_line']}| " + _line(code, best)])
    assert not ask(server, op="sync")["changed"]


def test_a_sync_reads_the_settings_again(code: CodeProject) -> None:
    server = server_of(code)
    files = ask(server, op="sync")["files"]
    (code.root / "searchsocket.toml").write_text('[code]\nenable = true\nexclude = ["steps.py"]\n', encoding="utf-8")
    assert ask(server, op="status")["configuration_changed"]
    assert ask(server, op="sync")["files"] == files - 1
    assert not ask(server, op="status")["dirty"]


@pytest.mark.parametrize("text", ["this is no TOML", "[code]\nenable = 7\n"])
def test_a_sync_by_settings_that_cannot_be_used_says_so_and_stays_dirty(code: CodeProject, text: str) -> None:
    server = server_of(code)
    ask(server, op="sync")
    (code.root / "searchsocket.toml").write_text(text, encoding="utf-8")
    for _ in range(2):
        answer = server.answer(b'{"op": "sync"}')
        assert (answer["ok"], "searchsocket.toml" in answer["error"]) == (False, True)
        assert ask(server, op="status")["dirty"]
    assert ask(server, op="search", q="verifyToken")


def _line(code: CodeProject, result: dict[str, Any]) -> str:
    return (code.root / result["path"]).read_text().split("\n")[result["start_line"] - 1]


def test_an_index_that_another_process_made_is_answered_from(code: CodeProject) -> None:
    server = server_of(code)
    code.index()
    assert ask(server, op="search", q="step_7")
    grow(code.root, {"src/new.py": "def zanzibar(mombasa):\n    return mombasa + mombasa + mombasa\n"})
    assert ask(server, op="search", q="zanzibar") == []
    code.index()
    assert [item["path"] for item in ask(server, op="search", q="zanzibar")] == ["src/new.py"]


def parts(server: LineServer, max_tokens: int, **request: object) -> list[dict[str, Any]]:
    """Every part of an answer, of so many tokens each."""
    results = [replies(server, json.dumps(request | {"max_tokens": max_tokens}).encode())[0]]
    while token := results[-1].get("continuation_token"):
        assert results[-1]["truncated"]
        results.append(replies(server, json.dumps(request | {"continuation_token": token}).encode())[0])
    assert results[-1]["truncated"] is False
    return results


def test_parts_of_an_answer_are_the_answer(indexed: LineServer) -> None:
    for mode in ("terms", "hybrid"):
        whole = ask(indexed, op="search", q="the token of a file", mode=mode)
        some = parts(indexed, 200, op="search", q="the token of a file", mode=mode)
        assert [entry for part in some for entry in part["data"]] == whole
        assert len(some) > 1
        assert all(_fits(part["data"], 200) for part in some)
    ids = [passage["chunk_id"] for passage in whole[:5]]
    chunks = ask(indexed, op="fetch", ids=ids)
    some = parts(indexed, 200, op="fetch", ids=ids)
    assert len(some) > 1
    assert all(_fits(part["data"], 200) for part in some)
    for chunk in chunks:
        of_it = [item for part in some for item in part["data"] if item["chunk_id"] == chunk["chunk_id"]]
        assert [line for element in of_it for line in element["lines"]] == chunk["lines"]
        assert all(one | {"lines": []} == chunk | {"lines": []} for one in of_it)
    assert "truncated" not in indexed.answer(json.dumps({"op": "fetch", "ids": ids}).encode())  # nobody asked


def _fits(data: list[dict[str, Any]], max_tokens: int) -> bool:
    pieces = len(data) + sum(len(item.get("lines", ())) for item in data)
    return pieces <= 2 or count_tokens(json.dumps(data)) <= max_tokens + 2 * pieces


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"max_tokens": 199}, "max_tokens must be an integer from 200 to 100000"),
        ({"max_tokens": "300"}, "max_tokens must be an integer from 200 to 100000"),
        ({"max_tokens": True}, "max_tokens must be an integer from 200 to 100000"),
        ({"continuation_token": 7}, "continuation_token must be a string from a previous answer"),
        ({"continuation_token": "none"}, "the continuation token is invalid"),
        ({"q": "file"}, "the continuation_token belongs to another request"),
        ({"op": "fetch", "ids": [1]}, "the continuation token belongs to op search, not to op fetch"),
    ],
)
def test_a_part_that_cannot_be_is_refused(indexed: LineServer, change: dict[str, Any], error: str) -> None:
    first = indexed.answer(b'{"op": "search", "q": "the token of a file", "max_tokens": 200}')
    request = {"op": "search", "q": "the token of a file", "continuation_token": first["continuation_token"]} | change
    answer = indexed.answer(json.dumps(request).encode())
    assert (answer["ok"], answer["op"]) == (False, request["op"])
    assert error in answer["error"]


def test_a_line_too_long_alone_is_given_in_part(code: CodeProject) -> None:
    (code.root / "src" / "wide.ts").write_text(
        f"export const wideTable = [{'41, ' * 4_000}]\n\nexport const after = 1\n"
    )
    server = server_of(code)
    ask(server, op="sync")
    [wide] = [item for item in ask(server, op="search", q="wideTable") if item["path"] == "src/wide.ts"][:1]
    first = parts(server, 200, op="fetch", ids=[wide["chunk_id"]])[0]
    assert len(first["data"][0]["lines"][0]) < 1_000


@pytest.mark.parametrize("q", ["verifyToken", "token value", "step_7", "sign in with a token", "len str value return"])
def test_scores_are_sums_of_rarities(indexed: LineServer, q: str) -> None:
    """N chunks, of which df hold a term; at most two a file; equal scores in path order, in a file by line."""
    reader, _ = indexed.code.engine.opened(indexed.code.home.scope_named("main"))
    ids = [record_id for record_id, _ in reader.catalogue.fingerprints("", 10_000)]
    words_by_chunk = {}
    for record in reader.catalogue.records(ids):
        at = record.chunk.at
        path = record.page.url.replace("/", " ")
        text = "\n".join((record.page.title, "\n".join(at.heading_path), path, record.chunk.body.text))
        words_by_chunk[(record.page.source_file, at.first)] = set(index_words(text))  # type: ignore[union-attr]
    terms = list(query_terms(q))
    weights = {term: sum(term in words for words in words_by_chunk.values()) for term in terms}
    weights = {term: math.log(1 + len(words_by_chunk) / df) for term, df in weights.items() if df}  # type: ignore[misc]
    expected = {
        key: round(math.fsum(weights[term] for term in weights if term in words), 6)
        for key, words in words_by_chunk.items()
    }
    ranked = sorted((key for key in expected if expected[key]), key=lambda key: (-expected[key], key))
    expected_value: list[tuple[str, int]] = []
    for key in ranked:
        if sum(path == key[0] for path, _ in expected_value) < 2 and len(expected_value) < 20:
            expected_value.append(key)
    answer = ask(indexed, op="search", q=q)
    assert [(item["score"], item["path"], item["start_line"]) for item in answer] == [
        (expected[key], *key) for key in expected_value
    ]


def test_numbers_are_capped_and_hybrid_is_the_other_order(indexed: LineServer) -> None:
    assert len(ask(indexed, op="search", q="token", top_k=1)) == 1
    assert len(ask(indexed, op="search", q="value", top_k=10**30)) <= 20
    hybrid = ask(indexed, op="search", q="checks the signature of a token", mode="hybrid")
    assert (hybrid[0]["path"], hybrid[0]["score"] <= 1) == ("src/auth/token.ts", True)
    ids = [chunk["chunk_id"] for chunk in ask(indexed, op="search", q="token value sign verifyToken step")]
    assert len(ids) > 5
    assert len(ask(indexed, op="fetch", ids=ids)) == 5
    assert all(0 <= record_id <= MAX_CHUNK_ID for record_id in ids)


@pytest.mark.parametrize(
    ("line", "op", "error"),
    [
        (b"", "", "invalid request: empty"),
        (b"{", "", "invalid request: "),
        (b"\xff\xfe", "", "invalid request: not UTF-8 at byte 0"),
        (b"[" * 100_000, "", "invalid request: "),
        (b"[1]", "", "invalid request: not an object"),
        (b'{"op": "drop"}', "", "unknown op"),
        (b'{"op": 3}', "", "invalid request: op must be a string"),
        (b"{}", "", "invalid request: op must be a string"),
        (b'{"op": "search"}', "search", "invalid request: q must be a non-empty string"),
        (b'{"op": "search", "q": ["a"]}', "search", "invalid request: q must be"),
        (b'{"op": "search", "q": "a", "top_k": "3"}', "search", "invalid request: top_k must be an integer"),
        (b'{"op": "search", "q": "a", "top_k": 1e400}', "search", "invalid request: top_k must be an integer"),
        (b'{"op": "search", "q": "a", "top_k": NaN}', "", "invalid request: NaN is not JSON"),
        (b'{"op": "search", "q": "a", "top_k": ' + b"9" * 5_000 + b"}", "", "invalid request: "),
        (b'{"op": "search", "q": "a", "mode": "magic"}', "search", "invalid request: mode must be"),
        (b'{"op": "fetch"}', "fetch", "invalid request: ids must be an array of uint32"),
        (b'{"op": "fetch", "ids": [-1]}', "fetch", "invalid request: ids must be an array of uint32"),
        (b'{"op": "fetch", "ids": [4294967296]}', "fetch", "invalid request: ids must be an array of uint32"),
        (b'{"op": "fetch", "ids": [true]}', "fetch", "invalid request: ids must be an array of uint32"),
        (b'{"op": "fetch", "ids": []}', "fetch", "invalid request: ids is empty"),
        (b'{"op": "fetch", "ids": [12]}', "fetch", "unknown chunk_id 12: search again"),
    ],
)
def test_a_call_without_an_answer_is_an_error(indexed: LineServer, line: bytes, op: str, error: str) -> None:
    answer = indexed.answer(line)
    assert (answer["ok"], answer["op"], set(answer)) == (False, op, {"ok", "op", "error"})
    assert answer["error"].startswith(error)


def test_a_line_that_is_too_large_costs_only_itself(indexed: LineServer) -> None:
    status = b'{"op": "status"}'
    for size in (2**20, 2**20 + 1, 3 * 2**20):
        long = b'{"op": "search", "q": "' + b"a" * size + b'"}'
        answers = replies(indexed, status + b"\n" + long + b"\r\n" + status)
        assert answers[1] == {"ok": False, "op": "", "error": "request too large"}
        assert [answer["ok"] for answer in answers] == [True, False, True]
    fits = b" " * (2**20 - 1 - len(status)) + status
    assert [answer["ok"] for answer in replies(indexed, fits + b"\n" + status)] == [True, True]


def test_an_id_means_its_chunk_or_nothing(code: CodeProject) -> None:
    server = server_of(code)
    ask(server, op="sync")
    before = {chunk["chunk_id"]: chunk["symbol"] for chunk in ask(server, op="search", q="value str len step_7 step_8")}
    code.edit(
        "src/steps.py", "def step_0(", "def first(a):\n    return [a, a, a, a, a, a, a, a, a, a]\n\n\ndef step_0("
    )
    code.edit("src/steps.py", FUNCTION_8, "")
    ask(server, op="sync")
    server = server_of(code)
    for number, symbol in before.items():
        answer = server.answer(json.dumps({"op": "fetch", "ids": [number]}).encode())
        if symbol == "step_8":
            assert answer["error"] == f"unknown chunk_id {number}: search again"
        elif symbol.startswith("step_"):
            assert any(symbol in line for line in answer["data"][0]["lines"])


FUNCTION_8 = "def step_8(value):\n    return value * 8 + len(str(value)) - 8\n\n\n"


def test_ids_are_given_once(tmp_path: Path) -> None:
    """Also where two chunks would take the same number, by several processes, and after the file was lost."""
    names = [f"chunk-{n}" for n in range(200)]
    first = ChunkIds(tmp_path).of("main", names)
    assert ChunkIds(tmp_path).of("main", names[::-1]) == first[::-1]
    assert len({*first, *ChunkIds(tmp_path).of("other", names)}) == 400
    chunk_ids = ChunkIds(tmp_path / "b")
    [number] = chunk_ids.of("main", ["one"])
    with chunk_ids._open() as db:
        db.execute("UPDATE chunk_ids SET chunk = 'main|another' WHERE id = ?", (number,))
    assert chunk_ids.of("main", ["one", "another"]) == [number + 1, number]
    assert (chunk_ids.record_id("main", number), chunk_ids.record_id("other", number)) == ("another", None)
    (tmp_path / "chunk_ids.db").unlink()
    assert ChunkIds(tmp_path).of("main", names) == first


def test_lines_of_all_kinds_are_answered_one_by_one(indexed: LineServer) -> None:
    lines = list(damaged_lines(Random(7), 400))
    answers = replies(indexed, b"\n".join(lines) + b"\n")
    assert len(answers) == len(lines)
    assert {type(answer["ok"]) for answer in answers} == {bool}


def test_the_command_goes_on_until_its_input_ends_or_nobody_reads_its_answers(code: CodeProject) -> None:
    """Nothing else is printed to its output."""
    command = [COMMAND, "code", "serve", "--stdio", "--project", str(code.root)]
    input_bytes = b'{"op": "sync"}\nnonsense\n{"op": "search", "q": "step_7"}\n'
    result = subprocess.run(command, input=input_bytes, capture_output=True, check=True, timeout=120)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["ok"] for answer in answers] == [True, False, True]
    assert result.stderr == b""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(b'{"op": "status"}\n' * 5)
        process.stdin.flush()
        assert (process.wait(120), process.stderr.read()) == (0, b"")
