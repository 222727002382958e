"""`searchsocket demand`: visitors' searches without good results, and proposals for the owner; also over a sample."""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import click

from searchsocket.cli.options import WholeNumber, load_project, result_options, scope_options
from searchsocket.cli.output import count, safe, say
from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.demand.report import MAX_ENTRIES, DemandEntry, DemandReport, demand_report
from searchsocket.extensions.demand.settings import DemandSettings
from searchsocket.extensions.demand.tally import DemandCounts, DemandRow
from searchsocket.project.project import Project
from searchsocket.serving.answers import to_json
from searchsocket.serving.service import open_service
from searchsocket.stores.base.index_reader import IndexReader

_TITLES = {
    "without_results": "Without results",
    "no_close_match": "No close match",
    "without_click": "Results that nobody opens",
    "refused_answers": "Questions without an answer in sentences",
    "unhelpful_answers": "Answers that did not help",
    "top": "Most searched",
}

_RECORDS = 500  # read to find titles
_MAX_TITLES = 6
_ELSEWHERE = ("gift voucher", "opening hours")  # hardly on a documentation site
_LEAST_LETTERS = 5  # of a title whose typo is searched


@click.command()
@scope_options
@click.option("--days", type=WholeNumber(1, 3650), default=30, show_default=True, help="Number of days to report.")
@click.option("--limit", type=WholeNumber(1, MAX_ENTRIES), default=10, show_default=True, help="Queries in each list.")
@click.option("--sample", "is_sample", is_flag=True, help="Show a report of invented visitors; needs no log.")
@result_options
def demand(root: Path, scope_name: str | None, days: int, limit: int, is_sample: bool, as_json: bool) -> None:
    """Show what visitors search for and do not find.

    Needs the log of a service with `demand.enable`. Each query has the nearest pages of the live index and a proposal:
    synonyms, a pinned page, a golden query, or a page to write. The report ends with the lines to paste.

    \b
    Example:
      searchsocket demand
      searchsocket demand --days 7 --json
      searchsocket demand --sample
    """
    project = load_project(root)
    scope = project.scope(os.environ, scope_name)
    service = open_service(project, os.environ)
    today = datetime.now(UTC).date()
    rows = [*sample_rows(service.engine.opened(scope), scope.name, today)] if is_sample else None
    report = demand_report(project, service.engine, scope, today=today, days=days, limit=limit, rows=rows)
    if is_sample:
        click.echo("A sample: the visitors are invented; the pages and proposals are those of your index.", err=True)
    if as_json:
        click.echo(to_json(report, sources=True).decode())
        return
    for line in _lines(report, project):
        say(line)


def _lines(report: DemandReport, project: Project) -> Iterator[str]:
    if not report.searches:
        yield from _no_demand(report, project)
        return
    outcomes = {
        "found nothing": report.unanswered,
        "found no close match": report.weak,
        "opened a result": report.clicked,
    }
    shares = "".join(
        f", {100 * visitors / report.visitors:.0f} % {words}" for words, visitors in outcomes.items() if visitors
    )
    yield (
        f"{click.style(report.scope, bold=True)}, {report.first_day} to {report.last_day}: "
        f"{report.searches:,} searches by {count(report.visitors, 'visitor')}{shares}"
    )
    yield f"queries of at least {report.min_visitors} visitors on one day: {report.queries:,}"
    for name, title in _TITLES.items():
        entries: Sequence[DemandEntry] = getattr(report, name)
        if entries:
            yield ""
            yield click.style(title, bold=True)
        for entry in entries:
            yield from _entry_lines(entry, has_share=name in ("top", "without_click") and report.clicked > 0)
    yield from _paste_lines(report)


def _paste_lines(report: DemandReport) -> Iterator[str]:
    """Yield the text of each proposal, by file, for the owner to paste."""
    files: dict[str, list[str]] = {}
    for proposal in report.proposals:
        files.setdefault(proposal.file, []).append(proposal.text.strip("\n"))
    for file, texts in files.items():
        yield ""
        yield click.style(f"To paste into {safe(file)}", bold=True)
        yield from (f"  {safe(line)}" if line else "" for line in "\n\n".join(texts).splitlines())


def _no_demand(report: DemandReport, project: Project) -> Iterator[str]:
    yield f"No searches of scope {report.scope!r} recorded since {report.first_day}"
    if not project.settings.section(DemandSettings).enable:
        yield "To record them, set `enable = true` in [demand] and restart `searchsocket serve`"
    elif not DemandLog(project.state_dir).path.exists():
        yield f"The log starts when {report.min_visitors} visitors have searched on one day; see api.trusted_proxies"
    yield "To see what a report looks like: searchsocket demand --sample"


def _entry_lines(entry: DemandEntry, *, has_share: bool) -> Iterator[str]:
    others = f"  (also {', '.join(entry.variants[:3])})" if entry.variants else ""
    share = f", {100 * entry.clicked / entry.visitors:.0f} % opened a result" if has_share else ""
    yield f"  {safe(entry.query)}{safe(others)}  {count(entry.visitors, 'visitor')}{share}"
    pages = [f"{page.url}{f' {page.confidence:.2f}' if page.confidence is not None else ''}" for page in entry.nearest]
    if pages:
        label = "now finds (confidence)" if entry.current_quality != "rejected" else "nearest"
        yield f"      {label}: {safe(', '.join(pages))}"
    if entry.opened:
        yield f"      opened: {safe(', '.join(f'{page.url} ({page.visitors})' for page in entry.opened))}"
    if proposal := entry.proposal:
        yield f"      {proposal.kind}: {safe(proposal.summary)} ({safe(proposal.reason)})"


def sample_rows(reader: IndexReader, scope: str, today: date) -> Iterator[DemandRow]:
    """Yield the rows of one day: searches for titles of this index, a typo, and words that it may lack."""
    day = (today - timedelta(days=1)).isoformat()
    pages = _pages(reader)
    counts: dict[str, DemandCounts] = {}
    for at, title in enumerate(pages):
        visitors = 60 - 8 * at
        counts[title] = DemandCounts(visitors, visitors + 5, clicked=visitors // 2 if at else 1)
    if long := next((title for title in pages if len(title) >= _LEAST_LETTERS), ""):
        counts[long[:2] + long[3:]] = DemandCounts(9, 11, weak=9)
    counts |= {words: DemandCounts(12, 12, unanswered=12) for words in _ELSEWHERE}
    for query, query_counts in counts.items():
        yield DemandRow(day, scope, query_counts, query)
    for title, url in pages.items():
        yield DemandRow(day, scope, DemandCounts(counts[title].clicked), title, url)
    names = ("visitors", "searches", "unanswered", "weak", "clicked")
    yield DemandRow(
        day,
        scope,
        DemandCounts(*(sum(getattr(query_counts, name) for query_counts in counts.values()) for name in names)),
    )


def _pages(reader: IndexReader) -> dict[str, str]:
    """Return titles in lower case with their pages, spread over the index."""
    ids = [id_ for id_, _ in reader.catalogue.fingerprints("", _RECORDS)]
    pages = {record.page.title.casefold(): record.page.url for record in reader.catalogue.records(ids)}
    step = max(1, len(pages) // _MAX_TITLES)
    return dict(list(pages.items())[::step][:_MAX_TITLES])
