"""Fetching lines: bounded, numbered, of indexed files as they are now, and never from outside of the project."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from searchsocket.cli.main import cli
from searchsocket.errors import InvalidRequest, PageNotFound, SourceUnavailable
from searchsocket.extensions.code.search.answer import CodeQuery
from searchsocket.extensions.code.serving.service import CodeService, open_code
from searchsocket.extensions.code.sources.files import read_beneath
from tests.extensions.code.code_project import CodeProject
from tests.extensions.code.trees import grow

OUTSIDE = b"what lies outside"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> CodeProject:
    root = tmp_path_factory.mktemp("code")
    (root / "secret.py").write_bytes(OUTSIDE)
    code = CodeProject(root / "site")
    grow(code.root, {".env": OUTSIDE})
    (code.root / "link.py").symlink_to(root / "secret.py")
    (code.root / "folder").symlink_to(root)
    code.index()
    return code


@pytest.fixture
def service(project: CodeProject) -> CodeService:
    return open_code(project.project, {})


def test_chunks_are_fetched_with_numbered_lines(service: CodeService) -> None:
    [results] = service.search(CodeQuery("verifyToken", top_k=1), "main").results
    [fetched] = service.fetch_chunks([results.id], "main", max_lines=2)
    assert (fetched.file, fetched.first_line, fetched.last_line) == ("src/auth/token.ts", 1, 6)
    assert fetched.text == ("1| export const LIMIT = 3;", "2| ")
    assert not fetched.changed_since


def test_five_chunks_and_120_lines_at_most(service: CodeService) -> None:
    ids = [result.id for result in service.search(CodeQuery("value", top_k=20, max_per_file=20), "main").results]
    assert len(ids) > 5
    assert len(service.fetch_chunks(ids, "main")) == 5
    assert len(service.fetch_file("src/steps.py", 1, 10_000, "main").text) == 120
    with pytest.raises(InvalidRequest):
        service.fetch_file("src/steps.py", 1, 5, "main", max_lines=121)
    with pytest.raises(InvalidRequest):
        service.fetch_file("src/steps.py", 5, 1, "main")


@pytest.mark.parametrize(
    "path",
    ["link.py", "folder/secret.py", "../secret.py", "/etc/passwd", ".env", "src/../.env", "SRC/steps.py", "", "src",
     "node_modules/lib/index.js", "src/steps.py/", "a\0b", "./src/steps.py"],
)  # fmt: skip
def test_a_file_outside_the_index_is_not_fetched(service: CodeService, path: str) -> None:
    with pytest.raises(PageNotFound):
        service.fetch_file(path, 1, 5, "main")


PARTS = st.sampled_from(
    ["..", ".", "src", "steps.py", "folder", "link.py", "secret.py", "", "etc", "passwd", ".env", "\0", "~"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=6).map("/".join))
def test_no_byte_from_outside_is_read_whatever_the_path(project: CodeProject, path: str) -> None:
    try:
        data = read_beneath(str(project.root), path, 1_000_000)
    except SourceUnavailable:
        return
    assert OUTSIDE not in data or path == ".env"  # which lies inside, and is in no index


def test_a_folder_that_becomes_a_link_leads_nowhere(tmp_path: Path) -> None:
    """Between a check and the open nothing can be put in the way: each part is opened below the one before it."""
    root = grow(tmp_path / "root", {"a/b.py": "inside"})
    grow(tmp_path / "other", {"b.py": OUTSIDE})
    assert read_beneath(str(root), "a/b.py", 100) == b"inside"
    (root / "a" / "b.py").unlink()
    (root / "a").rmdir()
    (root / "a").symlink_to(tmp_path / "other")
    with pytest.raises(SourceUnavailable):
        read_beneath(str(root), "a/b.py", 100)
    os.mkfifo(root / "pipe.py")
    with pytest.raises(SourceUnavailable, match="regular"):
        read_beneath(str(root), "pipe.py", 100)


@pytest.mark.parametrize("step", range(4))
def test_a_file_replaced_by_a_link_while_it_opens_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Before each of the opens on the way: the root, two folders, the file."""
    root = grow(tmp_path / "root", {"a/b/c.py": "inside"})
    grow(tmp_path / "other", {"b/c.py": OUTSIDE, "c.py": OUTSIDE, "a/b/c.py": OUTSIDE})
    opened, real = [], os.open

    def open_(*arguments: object, **options: object) -> int:
        if len(opened) == step:
            swapped = {0: "a", 1: "a", 2: "a/b", 3: "a/b/c.py"}[step]
            (root / swapped).rename(tmp_path / "moved")
            (root / swapped).symlink_to(tmp_path / "other" / Path(swapped).name)
        opened.append(arguments)
        return real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", open_)
    with pytest.raises(SourceUnavailable):
        read_beneath(str(root), "a/b/c.py", 100)


def test_the_command_prints_the_lines_that_are_asked_for(project: CodeProject) -> None:
    result = CliRunner().invoke(cli, ["code", "fetch", "src/auth/token.ts:3-4", "--project", str(project.root)])
    assert result.output.splitlines() == [
        "3| /** Checks a token's signature. */",
        "4| export async function verifyToken(token: string): Promise<boolean> {",
    ]


@pytest.mark.parametrize(
    ("path", "fix"),
    [
        ("auth/token.ts", "did you mean 'src/auth/token.ts'?"),
        ("lib/Login.svelte", "did you mean 'src/pages/Login.svelte'?"),
        ("token", "use the file of a result"),
    ],
)
def test_a_file_named_without_its_folder_is_named_whole(service: CodeService, path: str, fix: str) -> None:
    """A caller goes on with one call; where several files could be meant, or none, none is named."""
    with pytest.raises(PageNotFound) as raised:
        service.fetch_file(path, 1, 5, "main")
    assert str(raised.value).endswith(fix)
