"""Every occurrence in source code: what `grep` lists, no more and no less, in the files as they are now."""

import json
import random
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

from search_api.app import create_app
from searchsocket.cli.main import cli
from searchsocket.errors import ContinuationGone, InvalidRequest
from searchsocket.extensions.code.search.find_all import CodeFindAnswer, CodeFindQuery, occurrences_in_files
from searchsocket.extensions.code.serving.service import CodeService, open_code
from tests.api_client import Api
from tests.extensions.code.code_project import CodeProject
from tests.extensions.code.trees import grow

REPOSITORY = Path(__file__).parents[3]
PARTS = ("searchsocket/search", "searchsocket/extensions/code", "search_api", "examples/docs-site/src")
# Words as the index cuts and folds them: long ones, other scripts, letters with marks, signs between letters.
PIECES = (
    "reader", "Reader", "READ_ALL", "read2end", "x", "_", "-", ".", "(", " ", "\t", "é", "e\u0301", "ß", "straße", "Å",
    "中文", "한글", "ไทย", "\u200d", "\u00ad", "🙂", "$store", "a" * 33, "b" * 70, "value", "0", "\u2028", "\x0c", "'s",
)  # fmt: skip
_source = random.Random(7)
MIXED = tuple("".join(_source.choices(PIECES, k=_source.randint(0, 8))) for _ in range(240))  # lines of files
LONG = "var a=" + "+".join(f"value_{n}" for n in range(3_000)) + ";\n"


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> CodeProject:
    """Some of this repository: Python, TypeScript, Svelte."""
    code = CodeProject(tmp_path_factory.mktemp("real") / "site")
    for part in PARTS:
        ignored = shutil.ignore_patterns("*.d.ts", "__pycache__", "*.svg", "*.png")
        shutil.copytree(REPOSITORY / part, code.root / "real" / part, ignore=ignored)
    grow(code.root, {"real/long.js": LONG, "real/mac.py": "one_name = 1\rother_name = one_name\r"})
    code.index()
    return code


@pytest.fixture
def code(tmp_path: Path) -> CodeProject:
    code = CodeProject(tmp_path / "site")
    code.index()
    return code


def find(project: CodeProject, q: str, **more: object) -> CodeFindAnswer:
    return open_code(project.project, {}).find(CodeFindQuery(q, **more), "main")  # type: ignore[arg-type]


def everything(project: CodeProject, q: str, limit: int = 1_000, **more: object) -> list[tuple[str, int, int]]:
    """(file, line, column) of all of them, part by part."""
    results: list[tuple[str, int, int]] = []
    continuation = ""
    while True:
        answer = find(project, q, limit=limit, continuation=continuation, **more)
        results += [(occurrence.file, occurrence.line, occurrence.column) for occurrence in answer.occurrences]
        if answer.continuation is None:
            assert answer.total == len(results)
            assert answer.files == len({file for file, _, _ in results})
            return results
        continuation = answer.continuation


def grep(root: Path, q: str, *flags: str) -> set[tuple[str, int]]:
    return set(grep_lines(root, q, *flags))


def grep_lines(root: Path, q: str, *flags: str) -> list[tuple[str, int]]:
    result = subprocess.run(
        ["grep", "-rnaF", *flags, "--exclude-dir=.*", "-e", q, "real"],
        cwd=root, capture_output=True, text=True, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}, check=False,
    )  # fmt: skip
    lines = (line.split(":", 2) for line in result.stdout.split("\n") if line)
    return [(file, int(number)) for file, number, _ in lines]


@pytest.mark.parametrize(
    "q",
    ["reader", "page_url", "x", "…", "_at", "top_k=", "return None", "CodeQuery(", "const",
     "nowhere_at_all", "value_17", "if not", "__init__"],
)  # fmt: skip
def test_the_lines_are_those_of_grep(real: CodeProject, q: str) -> None:
    for flags, more in (
        (["-w"], {"whole_words": True}),
        ([], {}),
        (["-i", "-w"], {"whole_words": True, "match_case": False}),
    ):
        if "-w" in flags and not (q[0] + q[-1]).replace("_", "a").isalnum():
            continue  # grep wants no letter beside a sign either
        lines_found = everything(real, q, path="real", **more)
        assert lines_found == sorted(lines_found, key=lambda one: (one[0].replace("/", "\x01"), one[1:]))
        lines_found = [item for item in lines_found if item[0] != "real/mac.py"]  # whose lines grep does not see
        assert {entry[:2] for entry in lines_found} == grep(real.root, q, *flags), flags


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> CodeService:
    """Files of random pieces, with both kinds of line ends."""
    code = CodeProject(tmp_path_factory.mktemp("mixed") / "site")
    for number in range(12):
        text = ("\r\n" if number % 2 else "\n").join((*MIXED[20 * number : 20 * number + 20], ""))
        grow(code.root, {f"real/{number}.py": text.encode()})
    code.index()
    return open_code(code.project, {})


def parts(text: str) -> st.SearchStrategy[str]:
    """Parts of a text."""
    return st.tuples(st.integers(0, len(text)), st.integers(1, 12)).map(lambda at: text[at[0] : at[0] + at[1]])


@given(q=st.one_of(st.sampled_from(MIXED), st.lists(st.sampled_from(PIECES), max_size=4).map("".join)).flatmap(parts))
def test_counts_are_those_of_grep(mixed: CodeService, q: str) -> None:
    """Of parts of words in any case and script; a text that is nowhere has no occurrence."""
    assume(q.strip())
    query = CodeFindQuery(q, limit=1_000, path="real")
    answer = mixed.find(query, "main")
    lines = grep_lines(mixed.project.root, q, "-o")
    assert (answer.total, answer.files) == (len(lines), len({file for file, _ in lines}))
    listed = sorted((occurrence.file, occurrence.line) for occurrence in answer.occurrences)
    assert listed == sorted(lines) or answer.continuation
    assert answer.whole_words == mixed.find(replace(query, whole_words=True), "main").total


def test_parts_of_words_count_and_whole_words_are_counted_among_them(code: CodeProject) -> None:
    """An agent takes a count for all that there is, and `0` for a proof that a name is nowhere."""
    answer = find(code, "verifyTok", path="src")
    assert (answer.total, answer.whole_words) == (3, 0)
    assert occurrences_in_files(answer, whole_words=False) == "3 occurrences in 2 files, 0 as whole words"
    answer = find(code, "verifyTok", path="src", whole_words=True)
    assert occurrences_in_files(answer, whole_words=True) == "0 whole words in 0 files"


def test_old_line_ends_are_lines(real: CodeProject) -> None:
    assert everything(real, "one_name", limit=1) == [("real/mac.py", 1, 1), ("real/mac.py", 2, 14)]


def test_an_endless_line_is_given_around_what_was_found(real: CodeProject) -> None:
    """Its words are found also where the line was cut for the index."""
    for n in range(99, 3_000, 700):
        [one] = find(real, f"value_{n}", whole_words=True).occurrences
        [(start, end)] = one.marks
        assert (one.file, one.line, one.text[start:end]) == ("real/long.js", 1, f"value_{n}")
        assert len(one.text) < 400


@pytest.mark.parametrize(
    ("filters", "files"),
    [
        ({"path": "src/auth"}, {"src/auth/token.ts"}),
        ({"path": "src/**/*.svelte"}, {"src/pages/Login.svelte"}),
        ({"languages": ("typescript",)}, {"src/auth/token.ts", "src/pages/Login.svelte", "tests/token.test.ts"}),
        ({"languages": ("python",)}, set()),
    ],
)
def test_filters_let_files_through(code: CodeProject, filters: dict[str, object], files: set[str]) -> None:
    assert {file for file, _, _ in everything(code, "verifyToken", **filters)} == files


def test_files_are_looked_through_as_they_are_now(code: CodeProject) -> None:
    """A new use is found before anything is indexed again, and nothing in a file that is gone."""
    grow(code.root, {"src/new.ts": "import { verifyToken } from './auth/token';\n"})
    code.edit("src/steps.py", "def step_3(value):", "# like verifyToken\ndef step_3(value):")
    (code.root / "tests/token.test.ts").unlink()
    answer = find(code, "verifyToken")
    marks = {occurrence.file: occurrence.changed_since for occurrence in answer.occurrences}
    assert marks == {
        "src/auth/token.ts": False, "src/new.ts": True, "src/pages/Login.svelte": False, "src/steps.py": True,
    }  # fmt: skip
    assert (answer.total, answer.files) == (len(answer.occurrences), 4)


def test_a_request_beyond_a_limit_is_refused(code: CodeProject) -> None:
    for query in (CodeFindQuery(" "), CodeFindQuery("a\nb"), CodeFindQuery("a", limit=0), CodeFindQuery("a" * 9_999)):
        with pytest.raises(InvalidRequest):
            open_code(code.project, {}).find(query, "main")
    first = find(code, "value", limit=1)
    with pytest.raises(ContinuationGone):
        find(code, "other", continuation=first.continuation)


@pytest.mark.parametrize("q", [r"function \w+Token", "verify.*Token", "^import", "verify|check"])
def test_a_pattern_without_occurrence_is_said_to_be_taken_literally(code: CodeProject, q: str) -> None:
    """Agents take `find` for grep, and a count of 0 for the answer."""
    arguments = ["code", "find", "--project", str(code.root)]
    assert CliRunner().invoke(cli, [*arguments, q]).output.splitlines()[:2] == [
        "0 occurrences in 0 files", "the text is taken literally, not as a regular expression"
    ]  # fmt: skip
    for other in ("nowhere", "(token: string)"):
        assert "literally" not in CliRunner().invoke(cli, [*arguments, other]).output


def test_the_command_prints_a_line_each(code: CodeProject) -> None:
    arguments = ["code", "find", "verifyToken", "--path", "src", "--project", str(code.root)]
    lines = CliRunner().invoke(cli, arguments).output.splitlines()
    assert lines[0] == "src/auth/token.ts:4:23  export async function verifyToken(token: string): Promise<boolean> {"
    assert lines[-1] == "3 occurrences in 2 files"
    arguments = ["code", "find", "verify", "--path", "src", "--project", str(code.root)]
    assert CliRunner().invoke(cli, arguments).output.splitlines()[-1] == "3 occurrences in 2 files, 0 as whole words"
    assert CliRunner().invoke(cli, [*arguments, "--whole-words"]).output.strip() == "0 whole words in 0 files"
    answer = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).stdout)
    assert (answer["total"], answer["wholeWords"], answer["occurrences"][0]["changedSince"]) == (3, 0, False)


def test_source_is_found_and_fetched_by_callers_with_the_key(code: CodeProject) -> None:
    api = Api(create_app(code.project, environ={"SEARCHSOCKET_API_KEY": "the key of this service"}, host="203.0.113.1"))
    key = {"authorization": "Bearer the key of this service"}
    bodies: dict[str, dict[str, object]] = {
        "find": {"q": "verifyToken", "path": "src"},
        "fetch": {"file": "src/auth/token.ts", "firstLine": 4, "lastLine": 5},
        "related": {"symbol": "verifyToken"},
    }
    answers = {}
    for name, body in bodies.items():
        refused = api.post(body, f"/api/code/{name}")
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "INVALID_SCOPE")
        answers[name] = api.post(body, f"/api/code/{name}", headers=key).json()
    assert answers["find"]["total"] == 3
    [lines] = answers["fetch"]["fetched"]
    assert lines["text"][0] == "4| export async function verifyToken(token: string): Promise<boolean> {"
    assert answers["related"]["subject"] == "verifyToken"
    both = api.post({"ids": ["a"], "file": "src/steps.py"}, "/api/code/fetch", headers=key)
    assert (both.status_code, both.json()["error"]["code"]) == (400, "INVALID_REQUEST")
    refusal = api.post({"file": ".env"}, "/api/code/fetch", headers=key)
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (404, "PAGE_NOT_FOUND")
