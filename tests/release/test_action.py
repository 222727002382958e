"""The GitHub Action: its own steps, run as GitHub runs them, on a small site and two branches."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
PAGE = "<main><h1>Budget</h1><p>A budget limits what embeddings may cost.</p></main>"
GOLDEN = "kind\tquery\ttarget\nplain\twhat limits the cost of embeddings\t/\n"
# GitHub's own program: it lists no comment, and keeps the text of a new one.
GH = '#!/bin/sh\nif [ "$1" = pr ]; then cp "$5" "$RUNNER_TEMP/posted.md"; echo "$3" > "$RUNNER_TEMP/number"; fi\n'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    (folder / "build").mkdir(parents=True)
    (folder / "build/index.html").write_text(PAGE)
    (folder / "golden-queries.tsv").write_text(GOLDEN)
    (folder / "searchsocket.toml").write_text('[project]\nid = "site"\n[scope]\nmode = "git"\n')
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/gh").write_text(GH)
    (tmp_path / "bin/gh").chmod(0o755)
    return folder


def run_action(site: Path, branch: str, *, is_pull_request: bool, **inputs: str) -> dict[str, str]:
    """Run all steps but the installation and the cache; return the outputs."""
    temporary = site.parent
    files = {name: temporary / name for name in ("GITHUB_OUTPUT", "GITHUB_ENV")}
    for path in files.values():
        path.write_text("")
    values = {f"inputs.{name}": facts.get("default", "") for name, facts in ACTION["inputs"].items()}
    values |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
    values |= {
        "inputs.project": str(site), "inputs.base-scope": "main", "inputs.token": "token",
        "github.head_ref": branch if is_pull_request else "", "github.head_ref || github.ref_name": branch,
        "github.repository": "owner/site", "github.event.pull_request.number": "7",
    }  # fmt: skip
    environ = {**os.environ, "RUNNER_TEMP": str(temporary), **{name: str(path) for name, path in files.items()}}
    environ["PATH"] = f"{temporary / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    outputs: dict[str, str] = {}
    for step in ACTION["runs"]["steps"][1:]:
        is_left_out = ("export" in step["name"].lower() and not values["inputs.export"]) or (
            "Comment" in step["name"] and not is_pull_request
        )
        if "run" not in step or is_left_out:
            continue
        values["steps.index.outputs.scope"] = outputs.get("scope", "")
        own = {name: expanded(text, values) for name, text in step["env"].items()}
        stored = dict(line.split("=", 1) for line in files["GITHUB_ENV"].read_text().splitlines())
        script = temporary / "step.sh"
        script.write_text(step["run"])
        subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=site,
            env=environ | stored | own,
            check=True,
        )
        outputs |= dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    return outputs


def expanded(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values[match[1]], text)


def test_a_branch_is_indexed_exported_and_described_in_a_comment(site: Path) -> None:
    outputs = run_action(site, "main", is_pull_request=False, export="build/searchsocket")
    assert outputs["scope"] == "main"
    assert (site / "build/searchsocket/searchsocket.json").is_file()
    assert not (site.parent / "posted.md").exists()

    (site / "build/limit.html").write_text("<main><h1>Limit</h1><p>A second page.</p></main>")
    outputs = run_action(site, "new-page", is_pull_request=True, preview_url="https://preview.example.com")
    assert outputs["scope"] == "new-page"
    comment = (site.parent / "posted.md").read_text()
    assert comment.startswith("<!-- searchsocket diff -->")
    assert "| pages | 1 | 0 | 0 | 0 |" in comment
    assert "1 golden queries" in comment
    assert "Search on its preview: https://preview.example.com" in comment
    assert (site.parent / "number").read_text() == "7\n"


def test_a_failing_golden_query_ends_the_job_before_the_export(site: Path) -> None:
    (site / "searchsocket.toml").write_text('[project]\nid = "site"\n[golden]\nmin_recall = 1.0\n')
    (site / "golden-queries.tsv").write_text(GOLDEN.replace("/\n", "/other\n"))
    with pytest.raises(subprocess.CalledProcessError):
        run_action(site, "main", is_pull_request=False, export="build/searchsocket")
    assert not (site / "build/searchsocket").exists()


def test_no_step_puts_an_expression_into_a_script() -> None:
    """A branch or an address may contain code; a script gets them as variables."""
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert len(scripts) == 5
    assert [script for script in scripts if "${{" in script] == []
