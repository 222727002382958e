"""A question to pages and code at once: neither hides what the other answers, and a page is cited once."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from searchsocket.extensions.code.corpus import CODE as CODE_CORPUS
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.project.project import open_project
from searchsocket.search.answering.answer import AskAnswer, AskQuery
from searchsocket.serving.content import ContentService, open_content
from searchsocket.serving.service import open_service

DOCS = {
    "plans.md": "# Plans\n\nWhat each holds.\n\n## Free\n\nThe free plan holds five gigabytes of storage.\n"
    "\n## Team\n\nThe team plan holds a terabyte and is paid by the month.\n",
    "uploads.md": "# Uploads\n\nFiles travel in parts of eight megabytes.\n\n## Failures\n\nA failed upload is tried "
    "again six times with growing pauses.\n\n## Limits\n\nA file holds at most fifty gigabytes.\n",
    "refunds.md": "# Refunds\n\nA refund takes ten working days. Write to the team that sent the invoice.\n",
}
CODE = {
    "lib/keys.py": '"""Keys of the service."""\n\n\ndef rotate(store):\n'
    '    """Rotates the signing keys every thirty days."""\n'
    "    for name in store:\n        store[name] = fresh()\n\n\ndef revoke(store, name):\n"
    '    """Removes a key at once, so that no request is accepted that it signed."""\n    store.pop(name, None)\n',
    "lib/uploads.ts": "// At most six uploads run at the same time.\nexport const MAX_UPLOADS = 6;\n\n"
    "/** Waits after a failure; the delay doubles after each failure, up to sixty seconds. */\n"
    "export function delayAfter(failures: number): number {\n  return Math.min(60, 2 ** failures);\n}\n",
    "README.md": "# Storage for teams\n\nThe command line tool mounts a folder of the team as a drive.\n",
}


@pytest.fixture(scope="module", params=["content-files", "static-output"])
def services(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[bool, ContentService]:
    """By whether source code is indexed beside the pages."""
    return {code: _service(tmp_path_factory.mktemp("both"), request.param, code=code) for code in (False, True)}


def _service(root: Path, mode: str, *, code: bool) -> ContentService:
    for path, text in {**{f"docs/{name}": text for name, text in DOCS.items()}, **CODE}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for name, text in DOCS.items():  # what a template makes of the Markdown, without a word on where that is
        lines = [line for line in text.split("\n") if line]
        tags = (
            f"<h{line.count('#')}>{line.lstrip('# ')}</h1>" if line[0] == "#" else f"<p>{line}</p>" for line in lines
        )
        file = root / "build" / name.replace(".md", ".html")
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"<html lang=en><title>{lines[0][2:]}</title><main>{''.join(tags)}</main></html>")
    (root / "searchsocket.toml").write_text(
        f'[project]\nid = "storage"\n[source]\nmode = "{mode}"\n\n[source.content_files]\nglobs = ["docs/*.md"]\n'
        f"[chunking]\nmin_chars = 1\n[code]\nenable = {str(code).lower()}\nexclude = ['/build/', '/*.toml']\n"
    )
    project = open_project(root, {})
    run = ScopeRun(
        project, project.scope_named("main"), "run-1", RunOptions(), clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)
    )
    index_scope(run)
    if code:
        index_scope(run.of(CODE_CORPUS))
    return open_content(project, {}, open_service(project, {}))


def ask(service: ContentService, question: str) -> AskAnswer:
    return service.ask(AskQuery(question), None, trusted=True)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How much storage does the free plan hold?", "five gigabytes of storage"),
        ("How many times is a failed upload tried again?", "six times with growing pauses"),
        ("How long does a refund take?", "ten working days"),
        ("What does the team plan hold?", "holds a terabyte"),
    ],
)
def test_code_beside_pages_hides_no_answer(services: dict[bool, ContentService], question: str, sentence: str) -> None:
    """The page answers as without code, and its source file is not cited beside it."""
    pages, both = ask(services[False], question), ask(services[True], question)
    assert pages.answered
    assert both.answered
    assert sentence in pages.passages[0].text
    assert (both.passages[0].text, both.passages[0].url) == (pages.passages[0].text, pages.passages[0].url)
    assert both.confidence >= pages.confidence
    cited = [(passage.url or passage.file_path) for passage in both.passages]
    assert not [item for item in cited if item.startswith("docs/")]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How often are the signing keys rotated?", "every thirty days"),
        ("How many uploads run at the same time?", "At most six uploads"),
        ("Up to how many seconds does the delay double after each failure?", "up to sixty seconds"),
        ("What does the command line tool mount?", "mounts a folder"),
    ],
)
def test_code_answers_beside_pages(services: dict[bool, ContentService], question: str, sentence: str) -> None:
    answer = ask(services[True], question)
    assert sentence in answer.passages[0].text
    assert answer.passages[0].url is None


def test_markdown_without_a_page_is_cited_by_its_sentences(services: dict[bool, ContentService]) -> None:
    """A README says its answer in sentences: the lines of its heading are none."""
    [passage] = ask(services[True], "What does the command line tool mount?").passages
    assert passage.text == "The command line tool mounts a folder of the team as a drive."


@pytest.mark.parametrize(
    "question",
    ["How often is the newsletter sent?", "How many bicycles fit on a train?", "How much does shipping cost?"],
)
def test_a_question_that_neither_answers_is_refused(services: dict[bool, ContentService], question: str) -> None:
    assert not ask(services[True], question).answered


def test_python_is_cited_by_its_own_lines(services: dict[bool, ContentService]) -> None:
    """As an editor shows them, without what stands above the definition."""
    passage = ask(services[True], "How often are the signing keys rotated?").passages[0]
    assert passage.text == CODE["lib/keys.py"].partition("\n\n\n")[2].partition("\n\n\n")[0]
