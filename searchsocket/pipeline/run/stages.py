"""The stages by name, in the order of the data. Each can run alone, repeatedly, and in its own process."""

from collections.abc import Iterable, Mapping

from searchsocket.errors import ConfigError
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.pipeline.run.context import Corpus, corpora_by_name
from searchsocket.pipeline.run.stage import AnyStage
from searchsocket.pipeline.stages.chunk_embeddings import chunk_embeddings
from searchsocket.pipeline.stages.page_chunks import page_chunks
from searchsocket.pipeline.stages.page_mirror import page_mirror
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.pipeline.stages.site_pages import site_pages
from searchsocket.project.settings.model import Settings

STAGES: Mapping[str, AnyStage] = {
    stage.name: stage for stage in (site_pages, page_mirror, page_chunks, chunk_embeddings, search_index)
}


def stages_of(corpus: Corpus, settings: Settings) -> Mapping[str, AnyStage]:
    """The stages of a run over a corpus."""
    return every_stage(corpus) if corpus.stages else site_stages(staged_extensions(settings))


def every_stage(corpus: Corpus) -> Mapping[str, AnyStage]:
    """Every stage of a corpus that may have left a report."""
    if not corpus.stages:
        return site_stages(extension.name for extension in extensions())
    return {stage.name: stage for stage in load(corpus.stages)}


def staged_extensions(settings: Settings) -> tuple[str, ...]:
    """The names of the extensions that are on and bring stages."""
    return tuple(extension.name for extension in extensions() if extension.stages and extension.is_on(settings))


def site_stages(added: Iterable[str]) -> Mapping[str, AnyStage]:
    """The stages of the site, and after them those of extensions.

    Args:
        added: Names of the extensions.

    Raises:
        ConfigError: An extension's stage has the name of another stage.
    """
    names, stages = {*added}, dict(STAGES)
    for extension in extensions():
        for stage in load(extension.stages) if extension.stages and extension.name in names else ():
            if stages.setdefault(stage.name, stage) is not stage:
                raise ConfigError(
                    f"the extension {extension.name!r} brings a second stage {stage.name!r}; uninstall it"
                )
    return stages


def publishing_stage(corpus: Corpus) -> str:
    """The name of the stage that publishes a corpus."""
    return [*(every_stage(corpus) if corpus.stages else STAGES)][-1]


def label_of(name: str) -> str:
    """The activity of a stage, for progress output; the stage's name if it is unknown."""
    if stage := STAGES.get(name):
        return stage.label
    # The other corpora are loaded only for their own runs.
    stages = (every_stage(corpus).get(name) for corpus in corpora_by_name().values())
    return next((stage.label for stage in stages if stage), name)
