"""Answers in sentences: a language model writes them, and only what the cited pages support is shown.

`engine.py` answers a question: `writing.py` writes the request, `model.py` sends it, `pieces.py` cuts the stream into
sentences with a small Markdown subset, and `proof.py` decides what the passages support, by the clauses of a sentence
and the meanings of words (`clauses.py`). `gate.py` asks the golden answers of a new generation before the switch.
"""

from searchsocket.extensions.base import Extension

EXTENSION = Extension(
    name="answers",
    settings=f"{__name__}.settings:AnswersSettings",
    endpoints=f"{__name__}.endpoints:add_endpoints",
    files=("golden-answers.json",),
    run_hooks=f"{__name__}.gate:HOOKS",
    judged_by=("golden-answers.toml",),
    run_checks=f"{__name__}.gate:CHECKS",
    options={"ask": f"{__name__}.cli:with_answer", "test": f"{__name__}.cli:with_golden_answers"},
)
