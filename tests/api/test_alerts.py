"""The rules and the dashboard in `deploy/prometheus` work, and name only what a service measures."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from api_client import KEY, Api
from small_site import write_site

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.project.project import open_project

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy" / "prometheus"
RECIPES = ROOT / "examples" / "docs-site" / "src" / "content"


def rules() -> list[dict[str, Any]]:
    files = (yaml.safe_load((FOLDER / name).read_text()) for name in ("alerts.yaml", "recording.yaml"))
    return [rule for file in files for group in file["groups"] for rule in group["rules"]]


def expressions() -> list[str]:
    dashboard = json.loads((FOLDER / "dashboard.json").read_text())
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    lists = [item["query"] for item in dashboard["templating"]["list"] if item["type"] == "query"]
    return [*(rule["expr"] for rule in rules()), *panels, *lists]


def runs_of(folder: Path) -> str:
    """The metrics of a run."""
    site = write_site(folder / "site")
    (site / "searchsocket.toml").write_text('[metrics]\ntextfile_dir = "."\n[costs.budget]\nmonth_usd = 1.0\n')
    project = open_project(site, {})
    index_scope(ScopeRun(project, project.scope_named("main"), "run"))
    return next(site.glob("*.prom")).read_text()


def test_rules_and_dashboard_ask_for_numbers_that_exist(api: Api, tmp_path: Path) -> None:
    text = api.get("/metrics", headers={"authorization": f"Bearer {KEY}"}).text
    text += runs_of(tmp_path)
    names = {rule["record"] for rule in rules() if "record" in rule}
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE):
        names |= {f"{name}_bucket", f"{name}_sum", f"{name}_count"} if kind == "histogram" else {name}
    metric_names = {
        name for expression in expressions() for name in re.findall(r"searchsocket[_:][a-z0-9_:]+", expression)
    }
    assert metric_names
    assert metric_names <= names


def test_each_alert_has_a_section_that_says_what_to_do() -> None:
    for rule in rules():
        if "alert" in rule:
            page, _, anchor = rule["annotations"]["runbook"].removeprefix("/docs/").partition("#")
            headings = re.findall(r"^### (\w+)$", (RECIPES / f"{page}.md").read_text(), re.MULTILINE)
            assert rule["alert"] in headings
            assert anchor == rule["alert"].lower()


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool, of Debian's package prometheus")
def test_the_alerts_fire_when_they_should() -> None:
    for command in (["check", "rules", "alerts.yaml", "recording.yaml"], ["test", "rules", "alerts_test.yaml"]):
        result = subprocess.run(["promtool", *command], cwd=FOLDER, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
