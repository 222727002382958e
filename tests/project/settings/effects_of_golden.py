"""Effects of `golden`, and of how old an index may be."""

from dataclasses import replace
from datetime import UTC, datetime

import dagster as dg

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.quality.checks import golden_queries_answered, scope_age
from searchsocket.quality.golden import golden_queries
from searchsocket_assets.site import DagsterSite, read_traits
from searchsocket_assets.site_factory import definitions_of
from tests.project.settings.lab import Effect, Lab

GOLDEN_QUERY = '[[query]]\nquery = "whaling boats"\nexpect = "/blog/first"\n'
LOST = '[[query]]\nquery = "lighthouse lantern"\nexpect = "/nowhere"\n'


def prepare(lab: Lab) -> None:
    lab.write("golden-queries.toml", GOLDEN_QUERY + LOST)
    lab.write("other.toml", GOLDEN_QUERY)


def run(lab: Lab) -> ScopeRun:
    return lab.site.run()


def query_texts(lab: Lab) -> list[str]:
    project = lab.project
    return [query.query for query in golden_queries(project.root, project.settings.golden.file)]


def is_good_enough(lab: Lab) -> bool:
    """One of two is found, whatever was before."""
    lab.index()
    return golden_queries_answered(run(lab)).passed


def may_fall(lab: Lab) -> bool:
    """The page that one of them wants comes, and loses its text."""
    lab.site.write("blog/first.html", "First post", "<p>An exhibition of whaling boats.</p>")
    lab.index()
    lab.site.write("blog/first.html", "First post", "<p>Nothing of that kind.</p>")
    lab.index()
    return golden_queries_answered(run(lab)).passed


def is_young_enough(lab: Lab) -> bool:
    lab.index()
    return scope_age(replace(run(lab), clock=lambda: datetime(2026, 1, 3, tzinfo=UTC))).passed


def zones(lab: Lab) -> set[str | None]:
    schedules = definitions_of(DagsterSite("", traits=read_traits(lab.project.root, {})[1])).schedules or ()
    return {schedule.execution_timezone for schedule in schedules if isinstance(schedule, dg.ScheduleDefinition)}


EFFECTS = (
    Effect(
        "golden.file",
        "other.toml",
        query_texts,
        ["whaling boats", "lighthouse lantern"],
        ["whaling boats"],
        prepare=prepare,
    ),
    Effect("golden.min_recall", 0.6, is_good_enough, True, False, prepare=prepare),
    Effect("golden.min_mrr", 0.6, is_good_enough, True, False, prepare=prepare),
    Effect("golden.min_ndcg", 0.6, is_good_enough, True, False, prepare=prepare),
    Effect("golden.max_drop", 1.0, may_fall, False, True, prepare=prepare),
    Effect("dagster.max_age_days", 1.0, is_young_enough, True, False),
    Effect("dagster.timezone", "Europe/Berlin", zones, {"UTC"}, {"Europe/Berlin"}),
)
