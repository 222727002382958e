"""`searchsocket demand`: visitors' searches without good results, and proposals for a person to accept."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from searchsocket.cli.numbers import WholeNumber
from searchsocket.cli.options import load_project, result_options, scope_options
from searchsocket.cli.output import count, print_json, safe, say
from searchsocket.extensions.demand.acceptance import accept, save_report, saved_proposals
from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.demand.proposals import DemandProposal
from searchsocket.extensions.demand.report import MAX_ENTRIES, DemandEntry, DemandReport, demand_report
from searchsocket.extensions.demand.sample import sample_rows
from searchsocket.extensions.demand.settings import DemandSettings
from searchsocket.project.project import Project
from searchsocket.serving.answers import to_json
from searchsocket.serving.service import open_service

_TITLES = {
    "without_results": "Without results",
    "no_close_match": "No close match",
    "without_click": "Results that nobody opens",
    "top": "Most searched",
}


@click.command()
@scope_options
@click.option("--days", type=WholeNumber(1, 3650), default=30, show_default=True, help="Number of days to report.")
@click.option("--limit", type=WholeNumber(1, MAX_ENTRIES), default=10, show_default=True, help="Queries in each list.")
@click.option(
    "--accept", "numbers", multiple=True, type=WholeNumber(1), metavar="N",
    help="Add proposal N of the last report to its file; repeat for several.",
)  # fmt: skip
@click.option("--sample", "is_sample", is_flag=True, help="Show a report of invented visitors; needs no log.")
@result_options
def demand(
    root: Path, scope_name: str | None, days: int, limit: int, numbers: tuple[int, ...], is_sample: bool, as_json: bool
) -> None:
    """Show what visitors search for and do not find.

    Needs the log of a service with `demand.enable`. Each query has the nearest pages of the live index and a proposal:
    synonyms, a pinned page, a golden query, or a page to write.

    \b
    Example:
      searchsocket demand
      searchsocket demand --days 7 --json
      searchsocket demand --accept 2 --accept 5
      searchsocket demand --sample
    """
    project = load_project(root)
    if numbers:
        _accept(project, numbers, as_json=as_json)
        return
    scope = project.scope(os.environ, scope_name)
    service = open_service(project, os.environ)
    today = datetime.now(UTC).date()
    rows = [*sample_rows(service.engine.opened(scope), scope.name, today)] if is_sample else None
    report = demand_report(project, service.engine, scope, today=today, days=days, limit=limit, rows=rows)
    pins = {} if is_sample else save_report(project, report)
    if is_sample:
        click.echo("A sample: the visitors are invented; the pages and proposals are those of your index.", err=True)
    if as_json:
        click.echo(to_json(report, sources=True).decode())
        return
    for line in (*_lines(report, project, is_sample=is_sample), *_pin_lines(pins)):
        say(line)


def _accept(project: Project, numbers: Sequence[int], *, as_json: bool) -> None:
    proposals = saved_proposals(project).by_number()
    if unknown := [number for number in numbers if number not in proposals]:
        hint = f"it has 1 to {max(proposals)}" if proposals else "there is none; run `searchsocket demand` first"
        raise click.UsageError(f"the last report has no proposal {unknown[0]}; {hint}")
    added = {number: accept(project, proposals[number]) for number in dict.fromkeys(numbers)}
    if as_json:
        print_json({"accepted": [{"number": number, "file": str(path or "")} for number, path in added.items()]})
        return
    for number, path in added.items():
        proposal = proposals[number]
        say(f"added to {path}:" if path else f"{proposal.file} has this already:")
        say("".join(f"  {safe(line)}\n" for line in proposal.text.strip().splitlines()).rstrip())


def _lines(report: DemandReport, project: Project, *, is_sample: bool) -> Iterator[str]:
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
    if any(entry.number for entry in report.entries) and not is_sample:
        yield ""
        yield "Add a proposal to its file: `searchsocket demand --accept N`"


def _pin_lines(pins: Mapping[int, DemandProposal]) -> Iterator[str]:
    if pins:
        yield ""
        yield click.style("Proposed at /owner", bold=True)
    for number, pin in pins.items():
        yield f"  {number:>3} {safe(pin.summary)} ({safe(pin.reason)})"


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
        yield f"  {entry.number:>3} {proposal.kind}: {safe(proposal.summary)} ({safe(proposal.reason)})"
