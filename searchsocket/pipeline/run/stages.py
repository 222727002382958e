"""The stages by name, in the order of the data. Each can run alone, repeatedly, and in its own process."""

from collections.abc import Mapping

from searchsocket.extensions.base import load
from searchsocket.pipeline.run.context import Corpus, corpora_by_name
from searchsocket.pipeline.run.stage import AnyStage
from searchsocket.pipeline.stages.chunk_embeddings import chunk_embeddings
from searchsocket.pipeline.stages.llms_txt import llms_txt
from searchsocket.pipeline.stages.page_chunks import page_chunks
from searchsocket.pipeline.stages.page_mirror import page_mirror
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.pipeline.stages.site_pages import site_pages
from searchsocket.pipeline.stages.static_search import static_search
from searchsocket.project.settings.model import Settings

STAGES: Mapping[str, AnyStage] = {
    stage.name: stage for stage in (site_pages, page_mirror, page_chunks, chunk_embeddings, search_index)
}

LLMS_STAGES: Mapping[str, AnyStage] = {llms_txt.name: llms_txt}  # after those of the site, if enabled

STATIC_STAGES: Mapping[str, AnyStage] = {static_search.name: static_search}  # likewise


def stages_of(corpus: Corpus, settings: Settings) -> Mapping[str, AnyStage]:
    """The stages of a run over a corpus."""
    left_out = {**({} if settings.llms.enable else LLMS_STAGES), **({} if settings.export.static else STATIC_STAGES)}
    return {name: stage for name, stage in every_stage(corpus).items() if name not in left_out}


def every_stage(corpus: Corpus) -> Mapping[str, AnyStage]:
    """Every stage of a corpus that may have left a report."""
    if not corpus.stages:
        return {**STAGES, **LLMS_STAGES, **STATIC_STAGES}
    return {stage.name: stage for stage in load(corpus.stages)}


def publishing_stage(corpus: Corpus) -> str:
    """The name of the stage that publishes a corpus."""
    return [name for name in every_stage(corpus) if name not in {**LLMS_STAGES, **STATIC_STAGES}][-1]


def label_of(name: str) -> str:
    """The activity of a stage, for progress output; the stage's name if it is unknown."""
    # That of the site is the first: the stages of other corpora are loaded only for their own runs.
    stages = (every_stage(corpus).get(name) for corpus in corpora_by_name().values())
    return next((stage.label for stage in stages if stage), name)
