"""The search for secrets has the time and memory of a page in a worker: a page over them fails alone (spec 24)."""

from pathlib import Path

import pytest

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.text.redaction import Redactor
from tests.extensions.code.code_project import CodeProject
from tests.pipeline.conftest import Site
from tests.pipeline.slow_redactor import ENDLESS, GreedyRedactor, SlowRedactor

LIMITS = [
    ("run.max_page_seconds = 3", SlowRedactor(), "took more than 3 s of CPU time (run.max_page_seconds)"),
    ("run.max_page_memory_mb = 512", GreedyRedactor(), "needs more than 512 MB of memory (run.max_page_memory_mb)"),
]
each_limit = pytest.mark.parametrize(("limit", "redactor", "reason"), LIMITS, ids=["time", "memory"])


@each_limit
def test_a_page_without_end_keeps_its_chunks_and_the_others_are_indexed(
    site: Site, monkeypatch: pytest.MonkeyPatch, limit: str, redactor: Redactor, reason: str
) -> None:
    """A page of 2 KB held a run for 12 s, and one of 1 MB would have held it for an hour."""
    (site.root / "searchsocket.toml").write_text(f"{limit}\nrun.workers = 1\n")
    monkeypatch.setattr(ScopeRun, "redactor", redactor)
    site.index()
    site.write("docs/faq.html", "FAQ", f"<p>Answers to {ENDLESS} are here.</p>")
    site.write("docs/usage.html", "Usage", "<p>Turn the brass handle.</p>")
    summary = site.index()
    (warning,) = [item for item in summary.warnings if "secrets" in item]
    assert warning == f"/docs/faq keeps its old chunks: the search for secrets {reason}"
    texts = {record.page.url: record.chunk.body.text for record in site.records()}
    assert "opening hours" in texts["/docs/faq"]
    assert "brass handle" in texts["/docs/usage"]
    site.write("docs/faq.html", "FAQ", "<p>Short answers.</p>")
    assert not [entry for entry in site.index().warnings if "secrets" in entry]


@each_limit
def test_so_does_a_source_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, redactor: Redactor, reason: str
) -> None:
    project = CodeProject(tmp_path)
    (project.root / "searchsocket.toml").write_text(f"code.enable = true\n{limit}\nrun.workers = 1\n")
    monkeypatch.setattr(ScopeRun, "redactor", redactor)
    project.index()
    guide = project.root / "docs/guide.md"
    guide.write_text(f"# Signing in\n\nPeople sign in with {ENDLESS} each day, and nobody else may.\n")
    summary = project.index()
    assert f"docs/guide.md keeps its old chunks: the search for secrets {reason}" in summary.warnings
    texts = "".join(record.chunk.body.text for record in project.records() if record.page.url == "/docs/guide.md")
    assert "sent to them by mail" in texts
