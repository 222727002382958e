"""Keys in `.env` and `.env.local`: those that the settings name, and nothing else (spec 7)."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.backends import Backends
from searchsocket.cli.main import cli
from searchsocket.errors import ConfigMissing
from searchsocket.project.dotenv import MAX_BYTES
from searchsocket.project.project import Project, open_project

TOML = """
[embeddings]
api_key_env = "MY_KEY"
[vector.milvus]
uri_env = "MY_MILVUS"
[rerank.jina]
api_key_env = "MY_JINA"
"""
KEY = "sk-from-a-file-0123456789"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "searchsocket.toml").write_text(TOML)
    return tmp_path


def opened(root: Path, environ: dict[str, str] | None = None) -> Project:
    return open_project(root, environ or {})


def test_variables_that_the_settings_name_are_read(root: Path) -> None:
    (root / ".env").write_text(
        f"MY_KEY=\"{KEY}\" # of the team\nexport MY_MILVUS=./m.db\nMY_JINA='a b'\nOTHER=secret\n"
    )
    environment = opened(root).environment({"HOME": "/home/me"})
    assert environment == {"HOME": "/home/me", "MY_KEY": KEY, "MY_MILVUS": "./m.db", "MY_JINA": "a b"}
    assert "MY_KEY" not in os.environ


def test_the_process_comes_before_env_local_and_that_before_env(root: Path) -> None:
    (root / ".env").write_text("MY_KEY=env\nMY_MILVUS=env\nMY_JINA=env\nEMBEDDINGS_API_KEY=env\n")
    (root / ".env.local").write_text("MY_KEY=local\nMY_MILVUS=local\nMY_JINA=\n")
    environment = opened(root).environment({"MY_KEY": "process", "MY_MILVUS": " "})
    assert dict(environment) == {
        "MY_KEY": "process", "MY_MILVUS": "local", "MY_JINA": "env", "EMBEDDINGS_API_KEY": "env",
    }  # fmt: skip


def test_the_key_of_a_file_is_used(root: Path) -> None:
    with pytest.raises(ConfigMissing):
        Backends(opened(root), {}).embedder_of("")
    (root / ".env.local").write_text(f"MY_KEY={KEY}\n")
    assert Backends(opened(root), {}).embedder_of("").model_id == "openai-text-embedding-3-small-1536"


def test_no_value_of_a_file_is_shown(root: Path) -> None:
    (root / ".env").write_text(f"MY_KEY={KEY}\nSEARCHSOCKET__API__PORT=7\n")
    for arguments in (["config", "show"], ["config", "show", "--json"], ["doctor"], ["doctor", "--json"]):
        result = CliRunner().invoke(cli, [*arguments, "--project", str(root)])
        assert KEY not in result.output
    output = CliRunner().invoke(cli, ["config", "show", "--project", str(root)]).output
    assert "$MY_KEY is set" in output


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00", b"MY_KEY", b"=", b"'", b"MY_KEY='unclosed\n", b"A=1\n" * MAX_BYTES, b"\0" * 100, b"${"]
)
def test_a_malformed_or_huge_file_is_harmless(root: Path, content: bytes) -> None:
    (root / ".env").write_bytes(content)
    (root / ".env.local").write_text("MY_JINA=x\n")
    assert dict(opened(root).environment({})) == {"MY_JINA": "x"}


def test_a_folder_a_pipe_or_a_broken_link_is_no_file(root: Path) -> None:
    (root / ".env").mkdir()
    os.mkfifo(root / ".env.local")
    assert dict(opened(root).environment({})) == {}
    (root / ".env.local").unlink()
    (root / ".env.local").symlink_to("nowhere")
    assert dict(opened(root).environment({})) == {}


PARTS = ["MY_KEY", "OTHER", "=", " ", "\n", "'", '"', "#", "\\", "export ", "x", "$", "{", "é"]


@given(st.lists(st.sampled_from(PARTS), max_size=30).map("".join))
def test_values_are_those_of_the_usual_reader(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    root = tmp_path_factory.mktemp("env")
    (root / "searchsocket.toml").write_text(TOML)
    (root / ".env").write_text(text, encoding="utf-8")
    expected = dotenv_values(root / ".env", interpolate=False).get("MY_KEY") or ""
    assert opened(root).environment({}).get("MY_KEY", "") == (expected if expected.strip() else "")
