"""Golden answers are asked over a new generation before the switch, and over unchanged passages only once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from chat_server import ChatServer, refusal

from searchsocket.errors import CandidateRefused, ConfigError
from searchsocket.extensions.answers.gate import golden_answers_right
from searchsocket.pipeline.run.checks import Check
from searchsocket.pipeline.run.index import index_scope, run_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.quality.checks import ALL_CHECKS
from searchsocket.quality.gate import gate_digest
from tests.pipeline.conftest import Site

QUESTION = "What does the museum open with in spring?"
RIGHT = "The museum opens in spring with an exhibition of whaling boats [1]."
GOLDEN = f'[[answer]]\nquestion = "{QUESTION}"\nfacts = ["whaling boats"]\n'
CHECK: Check = ALL_CHECKS["golden_answers_right"]


@pytest.fixture
def make_museum(tmp_path: Path, server: ChatServer) -> Callable[..., Site]:
    def make(toml: str = "", golden: str = GOLDEN) -> Site:
        site = Site(tmp_path / "site")
        answers = f'[answers]\nenable = true\nbase_url = "{server.url}"\nmodel = "m"\n{toml}'
        (site.root / "searchsocket.toml").write_text(answers)
        (site.root / "golden-answers.toml").write_text(golden)
        server.says(RIGHT)
        return site

    return make


def live(site: Site) -> str:
    generation = site.run().backends.store.generation(site.project.scope_named("main"))
    return generation.name if generation else ""


def edit(site: Site) -> None:
    site.write("blog/second.html", "Second post", "<p>Volunteers painted the lighthouse lantern red.</p>")


def test_a_wrong_answer_refuses_the_switch_unless_the_run_accepts_it(
    make_museum: Callable[..., Site], server: ChatServer
) -> None:
    site = make_museum()
    site.index()
    before = live(site)
    site.write("blog/first.html", "First post", "<p>The museum opens in spring with an exhibition of old maps.</p>")
    server.says("The museum opens in spring with an exhibition of old maps [1].")
    with pytest.raises(CandidateRefused, match=r"in spring\?' lacks 'whaling boats'.*--answers --generation candidate"):
        site.index()
    assert live(site) == before
    summary = site.index(accept_quality_drop=True)
    assert f"golden answers: 0 of 1 golden answers are right; wrong: '{QUESTION}' lacks 'whaling boats'" in (
        summary.warnings
    )
    assert live(site) != before
    accepted = live(site)
    report = run_scope(site.run(), [CHECK])  # nothing to switch to
    assert report.failure is None
    assert (report.checks[CHECK.name].passed, report.checks[CHECK.name].severity) == (False, "warn")
    assert live(site) == accepted


def test_unchanged_passages_are_asked_about_once(make_museum: Callable[..., Site], server: ChatServer) -> None:
    site = make_museum("input_usd_per_million_tokens = 1.0\noutput_usd_per_million_tokens = 1.0")
    site.index()
    before = live(site)
    edit(site)
    site.index()
    assert live(site) != before
    assert len(server.requests) == 1
    [paid] = [line for line in site.run().backends.ledger.lines() if line.used_for == "answers"]
    assert paid.cost_usd > 0
    site.write(
        "blog/first.html", "First post", "<p>The museum opens in spring with an exhibition of whaling boats!</p>"
    )
    site.index()
    assert len(server.requests) == 2


def test_other_facts_are_compared_with_the_kept_reply(make_museum: Callable[..., Site], server: ChatServer) -> None:
    site = make_museum()
    site.index()
    (site.root / "golden-answers.toml").write_text(GOLDEN.replace("facts", "must_not"))
    edit(site)
    with pytest.raises(CandidateRefused, match="contains 'whaling boats'"):
        site.index()
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("toml", "reason"),
    [
        ('api_key_env = "MUSEUM_KEY"', "answers need the key of 127.0.0.1 in $MUSEUM_KEY"),
        ("", "127.0.0.1 answers 500 bad: out of memory"),
    ],
)
def test_without_a_model_they_are_skipped_and_the_run_says_so(
    toml: str, reason: str, make_museum: Callable[..., Site], server: ChatServer
) -> None:
    site = make_museum(toml)
    server.answer = lambda body: refusal(500, "out of memory")
    [warning] = [line for line in site.index().warnings if line.startswith("golden answers")]
    assert warning.startswith(f"golden answers: 0 of 1 golden answers are right; 1 skipped: {reason}")
    assert live(site)


def test_a_missing_address_is_said(make_museum: Callable[..., Site]) -> None:
    site = make_museum()
    toml = site.root / "searchsocket.toml"
    toml.write_text("[answers]\nenable = true\n")
    assert "golden answers: skipped: answers need a language model; set answers.base_url" in site.index().warnings


def test_a_file_that_is_not_valid_ends_the_run_at_once(make_museum: Callable[..., Site]) -> None:
    site = make_museum(golden="[[answer]]\nfacts = []\n")
    with pytest.raises(ConfigError, match=r"golden-answers\.toml"):
        site.index()
    assert not (site.root / ".searchsocket" / "index").exists()


def test_the_check_has_the_outcome_of_the_gate(make_museum: Callable[..., Site], server: ChatServer) -> None:
    """A refused generation fails the check; a skipped question is not asked again by it."""
    site = make_museum()
    server.answer = lambda body: refusal(500, "out of memory")
    skipped = run_scope(site.run(), [CHECK]).checks[CHECK.name]
    assert (skipped.passed, skipped.severity, len(server.requests)) == (True, "warn", 1)
    server.says("The museum opens in spring with an exhibition [1].")
    edit(site)
    report = run_scope(site.run(), [CHECK])
    assert report.failure
    assert report.failure.code == "CANDIDATE_REFUSED"
    refused = report.checks[CHECK.name]
    assert (refused.passed, refused.severity) == (False, "error")
    assert "lacks 'whaling boats'" in refused.message


@pytest.mark.parametrize("damage", ["{", "[" * 100_000, '{"replies": {"a": 1}}', '{"severity": "none"}', "\udcff"])
def test_replies_that_are_damaged_are_asked_for_again(
    damage: str, make_museum: Callable[..., Site], server: ChatServer
) -> None:
    site = make_museum()
    site.index()
    (site.root / ".searchsocket" / "golden-answers.json").write_bytes(damage.encode("utf-8", "surrogateescape"))
    assert golden_answers_right(site.run()).message == "1 of 1 golden answers are right"
    assert len(server.requests) == 2


def test_a_project_without_golden_answers_asks_nothing(make_museum: Callable[..., Site], server: ChatServer) -> None:
    site = make_museum(golden="")
    index_scope(site.run(options=RunOptions()))
    assert not server.requests
    assert golden_answers_right(site.run()).message == "no golden answers; add them to golden-answers.toml"
    (site.root / "searchsocket.toml").write_text("")
    assert golden_answers_right(site.run()).message == "answers in sentences are off"


def test_a_refused_build_is_tried_again_after_the_file_changed(make_museum: Callable[..., Site]) -> None:
    site = make_museum()
    before = gate_digest(site.project)
    (site.root / "golden-answers.toml").write_text(GOLDEN.replace("whaling ", ""))
    assert gate_digest(site.project) != before
