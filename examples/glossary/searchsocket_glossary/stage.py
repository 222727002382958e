"""The stage `glossary_terms`, which each run ends with."""

from dataclasses import dataclass

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import Numbers, StageResult, digest_of
from searchsocket.pipeline.run.stage import only_count, stage
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.state.scope import ScopeState
from searchsocket_glossary.terms import read_glossary


@dataclass(frozen=True, slots=True)
class TermNumbers(Numbers):
    """Numbers of `glossary_terms`."""

    terms: int
    unused: int  # on no page


@stage(
    "Counting terms",
    TermNumbers,
    reads=[search_index],
    kinds={"table"},
    columns=(("term", "string", "term of the glossary"), ("pages", "int", "pages that contain it")),
    dry=only_count(lambda pages: TermNumbers(0, 0)),
)
def glossary_terms(run: ScopeRun, state: ScopeState) -> StageResult[TermNumbers]:
    """Count the pages of the live index that contain each term of the glossary.

    Raises:
        ConfigError: The glossary cannot be read.
    """
    store = run.backends.store
    catalogue = store.reader(run.scope).catalogue
    texts = [(catalogue.page_body(url) or "").casefold() for url, _ in store.body_digests(run.scope)]
    pages = {term: sum(term.casefold() in text for text in texts) for term in sorted(read_glossary(run.project))}
    unused = [term for term, count in pages.items() if not count]
    return StageResult(
        total=len(pages),
        numbers=TermNumbers(len(pages), len(unused)),
        version=digest_of(f"{term} {count}" for term, count in pages.items()),
        warnings=(f"no page contains these terms of the glossary: {', '.join(unused)}",) if unused else (),
        tables={"Terms": [{"term": term, "pages": count} for term, count in pages.items()]},
    )


STAGES = (glossary_terms,)
