"""Golden answers before the switch to a new generation, and as a check of the run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from searchsocket.errors import ConfigError, ConfigMissing
from searchsocket.extensions.answers.settings import AnswersSettings
from searchsocket.pipeline.run.checks import Check
from searchsocket.pipeline.run.context import SITE, ScopeRun
from searchsocket.pipeline.run.hooks import RunHooks
from searchsocket.pipeline.run.results import CheckOutcome, CheckRefused
from searchsocket.pipeline.run.stage import raise_if_stopped
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.stores.base.index_reader import IndexReader

if TYPE_CHECKING:  # each run loads this module, and few have golden answers
    from searchsocket.extensions.answers.golden import GoldenAnswer, GoldenOutcome

_NAMED = 3  # wrong answers in a message


class GoldenAnswersGate(RunHooks):
    """Refuse a generation over which the model gives a wrong answer."""

    def before_run(self, run: ScopeRun) -> None:
        """Raise `ConfigError` for a file that is not valid, before anything is paid."""
        _golden_answers(run)

    def before_switch(self, run: ScopeRun, candidate: IndexReader) -> Sequence[str]:
        """Ask the golden answers; return a warning if some were skipped, or if the run accepts wrong ones.

        Raises:
            CheckRefused: An answer is wrong.
            Interrupted: The run was stopped.
        """
        golden = _golden_answers(run) if run.corpus is SITE else []
        if not golden:
            return ()
        outcome = _judge(run, golden, candidate, accepts=run.options.accept_quality_drop)
        if not outcome.passed and outcome.severity == "error":
            generation = candidate.generation.name
            raise CheckRefused(_CHECK.name, "--answers --generation candidate", run.scope.name, generation, outcome)
        return () if outcome.severity == "error" else (f"golden answers: {outcome.message}",)


def golden_answers_right(run: ScopeRun) -> CheckOutcome:
    """The golden answers are right over the candidate, before it goes live.

    Wrong answers over a generation that is live already are a warning: failing the run would change nothing.
    """
    if not run.project.settings.section(AnswersSettings).enable:
        return CheckOutcome(True, "answers in sentences are off")
    golden = _golden_answers(run)
    if not golden:
        return CheckOutcome(True, "no golden answers; add them to golden-answers.toml")
    from searchsocket.extensions.answers.golden import Replies

    reader = run.backends.store.reader(run.scope)
    return Replies(run.project).outcome(run.run_id) or _judge(run, golden, reader, accepts=True)


def _golden_answers(run: ScopeRun) -> "list[GoldenAnswer]":
    from searchsocket.extensions.answers.golden import read_golden_answers

    return read_golden_answers(run.project.root)


def _judge(run: ScopeRun, golden: "Sequence[GoldenAnswer]", reader: IndexReader, *, accepts: bool) -> CheckOutcome:
    """Ask the golden answers over a generation, and keep the outcome for the check of this run.

    Args:
        accepts: Wrong answers are a warning.
    """
    from searchsocket.extensions.answers.golden import Replies, answers_over, ask_all

    errors: list[BaseException] = []
    replies = Replies(run.project)
    try:
        answers = answers_over(run.project, run.environ, reader, clock=run.clock, on_error=errors.append)
    except (ConfigError, ConfigMissing) as error:  # no model is configured
        outcome = CheckOutcome(True, f"skipped: {error}", "warn")
    else:
        outcomes = ask_all(answers, golden, run.scope, errors, replies, lambda: raise_if_stopped(run))
        outcome = _outcome_of(outcomes, accepts=accepts)
    replies.save(run.run_id, outcome)
    return outcome


def _outcome_of(outcomes: "Sequence[GoldenOutcome]", *, accepts: bool) -> CheckOutcome:
    wrong = [f"{each.question!r} {'; '.join(each.problems)}" for each in outcomes if each.problems]
    skipped = [each.skipped for each in outcomes if each.skipped]
    words = [f"{len(outcomes) - len(wrong) - len(skipped)} of {len(outcomes)} golden answers are right"]
    words += [f"wrong: {', '.join(wrong[:_NAMED])}"] if wrong else []
    words += [f"{len(skipped)} skipped: {skipped[0]}"] if skipped else []
    is_warning = accepts if wrong else bool(skipped)
    return CheckOutcome(not wrong, "; ".join(words), "warn" if is_warning else "error")


_CHECK = Check(search_index, golden_answers_right, blocking=True)
CHECKS = (_CHECK,)
HOOKS = GoldenAnswersGate()
