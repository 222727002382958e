"""`searchsocket index --dry-run` where secrets are not given, as in a pull request of a fork (spec 17)."""

from pathlib import Path

import pytest
from runner_types import RunCli, RunJson

VARIABLES = {"pinecone": "PINECONE_API_KEY", "milvus": "MILVUS_URI"}


@pytest.mark.parametrize("provider", list(VARIABLES))
def test_a_plan_needs_no_key_and_no_address(
    run: RunCli, run_json: RunJson, site: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    """It says what it assumed of the store; a run ends before anything is paid."""
    monkeypatch.delenv(VARIABLES[provider], raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (site / "searchsocket.toml").write_text(f'vector.provider = "{provider}"\nembeddings.provider = "openai"\n')
    plan = run_json("index", "--dry-run")
    assert plan["dryRun"] is True
    assert plan["estimatedTokens"] > 0
    assert plan["estimatedCostUsd"] > 0
    (assumed,) = [warning for warning in plan["warnings"] if warning.startswith("assumed: ")]
    assert VARIABLES[provider] in assumed
    assert not (site / ".searchsocket").exists()
    assert run("index").exit_code == 3


def test_a_plan_of_auto_says_whose_price_it_counts(
    run_json: RunJson, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the key that the real run has, it would cost nothing."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (site / "searchsocket.toml").write_text('embeddings.provider = "auto"\n')
    (assumed,) = run_json("index", "--dry-run")["warnings"]
    assert "auto and $OPENAI_API_KEY is not set, so this plan counts the cost of builtin" in assumed
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")
    (assumed,) = run_json("index", "--dry-run")["warnings"]
    assert "a key is set, so this plan counts the cost of openai" in assumed


def test_a_plan_on_this_machine_assumes_nothing(run_json: RunJson, site: Path) -> None:
    assert run_json("index", "--dry-run")["warnings"] == []
