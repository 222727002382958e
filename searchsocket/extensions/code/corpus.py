"""The corpus of source code."""

from searchsocket.errors import CodeNotIndexed
from searchsocket.extensions.code.home import NAME, code_home
from searchsocket.extensions.code.settings import CodeSettings
from searchsocket.extensions.code.sources.files import make_code_source
from searchsocket.pipeline.run.context import Corpus, ScopeRun
from searchsocket.sources.base import Source
from searchsocket.text.skipped import Skipped, skipped_words
from searchsocket.web.urls.form import UrlForm


def _code_source(run: ScopeRun, _: UrlForm | None) -> Source:
    return make_code_source(run.project.root, run.project.settings, run.source_mode, run.branch)


def _code_advice(run: ScopeRun) -> str:
    report = run.state.last_report(run.scope.name, "code_files") or {}
    skipped = [Skipped(*each) for each in report.get("skipped", ())]
    words = skipped_words(skipped, report.get("skip_reasons", {}))
    reasons = [*([f"not searched: {words}"] if words else []), *report.get("warnings", ())]
    return "; ".join([*reasons, "check code.include and code.exclude"])


CODE = Corpus(
    NAME,
    home=code_home,
    make_source=_code_source,
    advice=_code_advice,
    not_indexed=CodeNotIndexed,
    is_enabled=lambda settings: settings.section(CodeSettings).enable,
    title="code",
    documents="files",
    document="source file",
    place="src/tides.py#high_water",
    ask="searchsocket.extensions.code.golden:ask_code_over",
    stages="searchsocket.extensions.code.pipeline.stages:CODE_STAGES",
)
CORPORA = (CODE,)
