"""`init --static` on sites of each generator as their owners configure them (spec 17)."""

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from configurations import CONFIGURATIONS, Configuration

from searchsocket.cli.main import cli

each_configuration = pytest.mark.parametrize("site", CONFIGURATIONS, ids=lambda site: site.name)


def write(root: Path, site: Configuration) -> Path:
    """Write the files of a site as a repository of its own."""
    for name, text in {**site.files, ".git/HEAD": "ref: refs/heads/main\n"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def init(root: Path, *options: str) -> dict[str, object]:
    result = CliRunner().invoke(cli, ["init", "--json", "--no-node", "--project", str(root), *options])
    assert result.exit_code == 0, result.output
    answer: dict[str, object] = json.loads(result.stdout)
    return answer


def tree(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file() and not {".searchsocket", ".git"} & set(path.parts))
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in files}


@each_configuration
def test_init_writes_what_a_site_needs(site: Configuration, tmp_path: Path) -> None:
    root = write(tmp_path / "harbour", site)
    result = init(root, "--static", "--yes")
    facts = result["site"]
    assert isinstance(facts, dict)
    by_hand = result["byHand"]
    assert isinstance(by_hand, list)
    assert (facts["framework"], facts["deployed"], facts["basePath"]) == (site.generator, site.deployed, site.base)
    assert result["afterBuild"] == site.after_build
    assert [paste["where"] for paste in by_hand] == list(site.by_hand)
    files = tree(root)
    assert {name: line for name, line in site.shown.items() if line not in files.get(name, "")} == {}
    settings = tomllib.loads(files["searchsocket.toml"])
    assert settings["source"].get("base_path", "") == site.base
    changed = {name for name, text in site.files.items() if files[name] != text}
    assert {name for name in changed if not name.endswith("package.json")} <= set(site.shown)
    if not site.is_injected:
        assert any(name.endswith(("/components.js", "/components.mjs")) for name in files)


@each_configuration
def test_init_is_repeatable_and_undone(site: Configuration, tmp_path: Path) -> None:
    """The second run writes nothing, also in a clone without a record, and undo restores every file."""
    root = write(tmp_path / "harbour", site)
    before = tree(root)
    init(root, "--static", "--yes")
    after = tree(root)
    record = root / ".searchsocket/init.json"
    text = record.read_text(encoding="utf-8")
    record.unlink()
    assert (init(root, "--static", "--yes")["written"], tree(root)) == ([], after)
    record.write_text(text, encoding="utf-8")
    assert (init(root, "--static", "--yes")["written"], tree(root)) == ([], after)
    init(root, "--undo")
    assert tree(root) == before
