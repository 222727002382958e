"""`searchsocket config show`: what counts, and where that is said."""

import tomllib
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_types import RunCli, RunJson

from searchsocket.project.settings.load import all_keys, effective_settings, load_settings
from searchsocket.project.settings.model import Settings

FILE = """\
[embeddings]
provider = "openai"
baseUrl = "https://me:secret-word@models.example/v1?token=secret-word"

[source]
exclude = [
  "/drafts/**", # not yet
]
crawl = { max_depth = 3 }

[facets]
author = "string"
"""


@pytest.fixture
def configured(site: Path) -> Path:
    (site / "searchsocket.toml").write_text(FILE)
    return site


def origins(report: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {setting["key"]: setting["origin"] for setting in report["settings"] if setting["source"] != "default"}


def test_each_value_comes_with_its_origin(run_json: RunJson, configured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCHSOCKET__RUN__WORKERS", "3")
    monkeypatch.setenv("EMBEDDINGS_PROVIDER", "local")
    report = run_json("config", "show")
    assert [item["key"] for item in report["settings"]] == list(all_keys())
    assert origins(report) == {
        "embeddings.provider": "EMBEDDINGS_PROVIDER",
        "embeddings.base_url": "searchsocket.toml:3",
        "source.exclude": "searchsocket.toml:6",
        "source.crawl.max_depth": "searchsocket.toml:9",
        "facets": "searchsocket.toml:12",
        "run.workers": "SEARCHSOCKET__RUN__WORKERS",
    }
    values = {setting["key"]: setting["value"] for setting in report["settings"]}
    assert (values["embeddings.provider"], values["run.workers"]) == ("builtin", 3)


def test_lines_of_pyproject_are_those_of_its_table(run_json: RunJson, site: Path) -> None:
    (site / "pyproject.toml").write_text('[project]\nname = "x"\n\n[tool.searchsocket.scope]\nfixed = "mine"\n')
    assert origins(run_json("config", "show")) == {"scope.fixed": "pyproject.toml:5"}


def test_the_words_are_a_configuration_that_says_the_same(run: RunCli, site: Path) -> None:
    (site / "searchsocket.toml").write_text(FILE.replace("me:secret-word@", "").replace("?token=secret-word", ""))
    result = run("config", "show")
    assert Settings.model_validate(tomllib.loads(result.stdout), strict=False) == load_settings(site, {})
    assert 'exclude = ["/drafts/**"]  # searchsocket.toml:6' in result.stdout
    assert "# costs.budget.run_usd is not set  # default" in result.stdout


def test_secrets_are_set_or_not_set(run: RunCli, run_json: RunJson, configured: Path, monkeypatch: pytest.MonkeyPatch
                                    ) -> None:  # fmt: skip
    monkeypatch.setenv("SEARCHSOCKET_API_KEY", "secret-word")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result = run("config", "show")
    assert "$SEARCHSOCKET_API_KEY is set\n" in result.stdout
    assert "$OPENAI_API_KEY is not set\n" in result.stdout
    assert "secret-word" not in result.stdout
    assert "https://***@models.example/v1?***" in result.stdout
    assert run_json("config", "show")["secrets"] == {"OPENAI_API_KEY": False, "SEARCHSOCKET_API_KEY": True}


def test_a_wrong_key_is_refused_as_by_every_command(run: RunCli, site: Path) -> None:
    (site / "searchsocket.toml").write_text("[chunking]\nmax_char = 5\n")
    result = run("config", "show")
    assert (result.exit_code, result.stderr.startswith("error [CONFIG_INVALID]: ")) == (2, True)


KEYS = ("chunking.max_chars", "state.dir", "source.exclude")
VALUES = {
    "chunking.max_chars": "3000",
    "state.dir": '"""\\\n.search"""',
    "source.exclude": '[\n"/a",\n# "/b"\n]',
}


@given(st.permutations(KEYS), st.lists(st.sampled_from(["", "# chunking.max_chars = 1", "  "]), max_size=3))
def test_lines_are_right_wherever_they_stand(
    tmp_path_factory: pytest.TempPathFactory, order: list[str], between: list[str]
) -> None:
    """Values of several lines are found at their first, and what comes after them is not moved."""
    root = tmp_path_factory.mktemp("origins")
    text, expected = "", {}
    for key, gap in zip_longest(order, between, fillvalue=""):
        text += f"{gap}\n"
        expected[key] = f"searchsocket.toml:{text.count(chr(10)) + 1}"
        text += f"{key} = {VALUES[key]}\n"
    (root / "searchsocket.toml").write_text(text)
    results = {setting.key: setting.origin for setting in effective_settings(root, {}) if setting.source == "file"}
    assert results == expected
