"""Checks of the published index by its answers; they cannot stop a publish, since the index is live already."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from searchsocket.errors import ScopeNotIndexed, SearchSocketError
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.pipeline.branches.pruning import PruneRequest, plan_prune
from searchsocket.pipeline.run.checks import CHECKS, Check
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import CheckOutcome
from searchsocket.pipeline.run.stage import AnyStage
from searchsocket.pipeline.stages.search_index import GOLDEN_FACT, GOLDEN_WARNING, search_index
from searchsocket.quality.candidate import golden_outcome, golden_texts
from searchsocket.state.links import LinkToNowhere
from searchsocket.state.scope import ScopeState
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import PREVIOUS, VectorStore
from searchsocket.text.amounts import age_s
from searchsocket.types import Filter, Scope
from searchsocket.web.urls.targets import resolve_target

_SAMPLE = 3
_PREFIX_K = 20
_ROWS = 50
_TOLERANCE = 1e-3  # of a cosine; remote engines round
_FILE = re.compile(r"\.(?!x?html?$|md$)[a-z][a-z0-9]{1,4}$", re.IGNORECASE)  # files that are never pages


def golden_queries_answered(run: ScopeRun) -> CheckOutcome:
    """The candidate passes its golden queries before it goes live. A candidate that fails is kept for inspection."""
    if outcome := _outcome_of_the_gate(run):
        return outcome
    if not golden_texts(run):
        return CheckOutcome(True, "no golden queries; add them to golden-queries.toml")
    store = run.backends.store
    return golden_outcome(run, store.reader(run.scope), previous_reader(store, run.scope))


def _outcome_of_the_gate(run: ScopeRun) -> CheckOutcome | None:
    """Return the result of the golden queries in this run, from the record of its stage."""
    reports = [report for report in run.state.results_of(run.run_id) if report["stage"] == search_index.name]
    message = next((report["facts"].get(GOLDEN_FACT) for report in reports), None)
    if message is None:
        return None
    (report,) = reports
    numbers = {
        name: value for name, value in report["numbers"].items() if name.startswith("golden_") and value is not None
    }
    passed = not any(warning.startswith(GOLDEN_WARNING) for warning in report["warnings"])
    return CheckOutcome(passed, message, "error" if passed else "warn", numbers, report["tables"])


def previous_reader(store: VectorStore, scope: Scope) -> IndexReader | None:
    """Return the generation before the live one; None if it was deleted or is damaged."""
    try:
        return store.reader_of(scope, PREVIOUS)
    except SearchSocketError:
        return None


def self_query_roundtrip(run: ScopeRun) -> CheckOutcome:
    """A sample of records is found by their own vectors."""
    reader = run.backends.store.reader(run.scope)
    sample = spread_ids(reader)
    vectors = reader.vectors.vectors_of(sample)
    lost = []
    for record_id, vector in zip(sample, vectors, strict=True):
        hits = reader.vectors.nearest(vector, top_k=1)
        own = reader.vectors.similarities(vector, [record_id])[0]
        # A record with an equal text has the same vector and may be first: that is not an error.
        if not hits or hits[0].score < own - _TOLERANCE or own < 1 - _TOLERANCE:
            lost.append(record_id)
    numbers = {"records": len(sample), "lost": len(lost)}
    if lost:
        return CheckOutcome(
            False, f"{len(lost)} of {len(sample)} records are not found by their own vectors", numbers=numbers
        )
    return CheckOutcome(True, f"{len(sample)} records are found by their own vectors", numbers=numbers)


def path_prefix_filter(run: ScopeRun) -> CheckOutcome:
    """A query with a path prefix finds only pages of that directory."""
    reader = run.backends.store.reader(run.scope)
    sample = spread_ids(reader)
    facts, vectors = reader.catalogue.facts(sample), reader.vectors.vectors_of(sample)
    wrong: list[str] = []
    for url, vector in zip(facts.url, vectors, strict=True):
        prefix = "/" + url.lstrip("/").partition("/")[0]
        where = Filter(path_prefix=prefix)
        hits = reader.vectors.nearest(vector, top_k=_PREFIX_K, where=where)
        urls = reader.catalogue.facts([hit.id for hit in hits]).url if hits else ()
        wrong += [prefix] if not hits else []
        wrong += [page for page in urls if prefix != "/" and page != prefix and not page.startswith(f"{prefix}/")]
    numbers = {"directories": len(sample), "wrong": len(wrong)}
    if wrong:
        return CheckOutcome(False, f"a query with a path prefix returns wrong pages for {wrong[0]}", numbers=numbers)
    return CheckOutcome(True, f"{len(sample)} directories return only their own pages", numbers=numbers)


def links_alive(run: ScopeRun) -> CheckOutcome:
    """Internal links lead to existing pages."""
    with run.state.open(run.scope.name) as state:
        dead = list(dead_links(state))
    numbers = {"dead_links": len(dead)}
    if dead:
        message = f"{len(dead):,} links are broken, e.g. {dead[0].target} on {dead[0].page}"
        rows = [link._asdict() for link in dead[:_ROWS]]
        return CheckOutcome(False, message, "warn", numbers, {"broken links": rows})
    return CheckOutcome(True, "all internal links work", numbers=numbers)


def scope_age(run: ScopeRun) -> CheckOutcome:
    """The live generation is at most `dagster.max_age_days` old."""
    live = run.backends.store.generation(run.scope)
    if live is None:
        raise ScopeNotIndexed(run.scope.name)
    days = age_s(live.published_at, run.clock()) / 86_400
    limit = run.project.settings.dagster.max_age_days
    numbers = {"age_days": round(days, 2)}
    if limit and days > limit:
        return CheckOutcome(False, f"published {days:.1f} days ago; the limit is {limit:g}", "warn", numbers)
    return CheckOutcome(True, f"published {days:.1f} days ago", numbers=numbers)


def branch_alive(run: ScopeRun) -> CheckOutcome:
    """The branch of the scope still exists."""
    try:
        plan = plan_prune(run.project, run.environ, PruneRequest(by_branch=True), run.clock())
    except SearchSocketError as error:
        return CheckOutcome(True, f"unknown: {error}")
    decision = next((each for each in plan.to_delete if each.scope == run.scope.name), None)
    if decision is not None:
        return CheckOutcome(False, f"{decision.reason}; `searchsocket prune` would delete the scope", "warn")
    return CheckOutcome(True, "the scope is kept")


def spread_ids(reader: IndexReader) -> list[str]:
    """Return a sample of ids of visible records, evenly spread over the first ones."""
    ids = [record_id for record_id, _ in reader.catalogue.fingerprints("", _SAMPLE * 10)]
    weights = reader.catalogue.facts(ids).weight
    visible = [record_id for record_id, weight in zip(ids, weights, strict=True) if weight > 0]
    return visible[:: max(1, len(visible) // _SAMPLE)][:_SAMPLE]


# Their results change between runs, with time and branches, so they are not part of a run.
BETWEEN_RUNS = frozenset({"scope_age", "branch_alive"})
ALL_CHECKS: Mapping[str, Check] = {
    **CHECKS,
    **{
        check.name: check
        for check in (
            Check(search_index, golden_queries_answered, blocking=True),
            *(check for extension in extensions() if extension.run_checks for check in load(extension.run_checks)),
            Check(search_index, self_query_roundtrip),
            Check(search_index, path_prefix_filter),
            Check(search_index, links_alive),
            Check(search_index, scope_age),
            Check(search_index, branch_alive),
        )
    },
}


def checks_of(stage: AnyStage) -> list[Check]:
    """The checks of a stage in a run."""
    return [check for check in RUN_CHECKS if check.stage is stage]


RUN_CHECKS: Sequence[Check] = [check for check in ALL_CHECKS.values() if check.name not in BETWEEN_RUNS]


def dead_links(state: ScopeState) -> Iterator[LinkToNowhere]:
    """Yield the dead links, by rising target and page; links to existing pages that are not indexed are not dead."""

    @cache
    def is_dead(target: str) -> bool:
        return not is_file(target) and resolve_target(target, state.links.is_page) is None

    return (link for link in state.links.to_nowhere() if is_dead(link.target))


def is_file(target: str) -> bool:
    """Return True if a link leads to a file that is not a page: a picture, an archive."""
    return _FILE.search(target.rpartition("/")[2]) is not None
