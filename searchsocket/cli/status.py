"""`searchsocket status`: what is indexed, with which model, how old, at what cost (spec 17, 21)."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchsocket.cli.code.standing import code_statuses, standing_words
from searchsocket.cli.options import json_option, load_project, project_option
from searchsocket.cli.output import ago, count, hanging, line_width, print_json, safe, size
from searchsocket.cli.remote_counts import remote_counts
from searchsocket.cli.summary import TEXT_COLUMN, source_lines
from searchsocket.dollars import dollars
from searchsocket.pipeline.unchanged.check import last_checked

if TYPE_CHECKING:
    from searchsocket.embedders.ledger import Ledger
    from searchsocket.project.backends import Backends
    from searchsocket.project.project import Project
    from searchsocket.types import Generation

_NO_MODEL = "(none"


@click.command()
@project_option
@json_option
def status(root: Path, as_json: bool) -> None:
    """Show what is indexed: generations, ages, models, last cost.

    \b
    Example:
      searchsocket status --json
    """
    from searchsocket.errors import SearchSocketError
    from searchsocket.pipeline.run.index import last_run_costs, origin_of
    from searchsocket.pipeline.run.origin import skipped_words
    from searchsocket.project.backends import Backends
    from searchsocket.search.quoting.results import age_s
    from searchsocket.serving.answer_json import to_json
    from searchsocket.system.files import bytes_below

    project = load_project(root)
    try:
        resolved = project.scope(os.environ).name
    except SearchSocketError as error:  # e.g. on no branch: the rest can still be told
        resolved = f"(none: {error})"
    backends = Backends(project, os.environ, calls=False)
    store = backends.store
    health = store.health()
    generations: list[Generation] = []
    with suppress(SearchSocketError):  # which `health` tells
        generations = store.list_scopes()
    elsewhere = remote_counts(store, generations)
    used = bytes_below(project.state_dir)
    live = {generation.scope: generation.model_id for generation in generations}
    models = {recorded: _model_id(backends, recorded) for recorded in {live.get(resolved, ""), *live.values()}}
    model_id = models[live.get(resolved, "")]
    now = datetime.now(UTC)
    try:
        code = code_statuses(project)
    except SearchSocketError as error:
        code, broken = [], str(error)
    else:
        broken = ""
    if as_json:
        print_json(
            {
                "projectId": project.id,
                "scope": resolved,
                "modelId": model_id,
                "stateBytes": used,
                "costs": _costs(project, backends.ledger),
                "vectorBackend": {"provider": project.settings.vector.provider, **asdict(health)},
                "remote": elsewhere.to_json() if elsewhere else None,
                "scopes": [
                    _generation(generation, age_s(generation.published_at, now))
                    | {"checkedAt": _checked(project, generation) or None}
                    | {"source": origin.source, "skipReasons": dict(origin.skip_reasons)}
                    | {"lastRun": last_run_costs(backends.state, generation.scope)}
                    for generation in generations
                    for origin in [origin_of(backends.state, generation.scope)]
                ],
                "code": [json.loads(to_json(each, sources=True)) for each in code],
            }
        )
        return
    click.echo(f"project  {safe(project.id)}\nscope    {safe(resolved)}\nmodel    {safe(model_id)}")
    click.echo(f"state    {safe(str(project.state_dir))}, {size(used)}")
    click.echo(
        f"vectors  {project.settings.vector.provider}, {'healthy' if health.ok else 'BROKEN: ' + safe(health.details)}"
    )
    for line in _cost_lines(project, backends.ledger):
        click.echo(line)
    if not generations and health.ok:
        click.echo("\nNothing is indexed yet; run `searchsocket index`.")
    for generation in generations:
        click.echo(f"\n{click.style(generation.scope, bold=True)}")
        origin = origin_of(backends.state, generation.scope)
        for name, text in (
            *source_lines(origin.source),
            ("skipped", skipped_words(origin.skipped, origin.skip_reasons)),
        ):
            if text:
                click.echo(hanging(f"  {name:<11} {safe(text)}", line_width(), TEXT_COLUMN))
        _print_scope(generation, age_s(generation.published_at, now), models[generation.model_id])
        if words := _last_run_words(last_run_costs(backends.state, generation.scope)):
            click.echo(hanging(f"  {'last run':<11} {safe(words)}", line_width(), TEXT_COLUMN))
        if elsewhere:
            click.echo(f"  remote      {safe(elsewhere.line(generation))}")
        if checked := _checked(project, generation):
            click.echo(f"  checked     {ago(age_s(checked, now))} ({checked}): nothing had changed")
    for each in code:
        held = f"{count(each.files, 'file')}, {count(each.chunks, 'chunk')}, {ago(each.age_seconds or 0.0)}"
        click.echo(f"\n{click.style(f'code of {each.scope}', bold=True)}\n  {held}\n  {standing_words(each)}")
    if broken:
        click.echo(f"\ncode     BROKEN: {safe(broken)}")
    for other in elsewhere.others(generations) if elsewhere else ():
        held = f"{count(other.records, 'record')} of {other.indexed_at}"
        click.echo(f"\n{click.style(safe(other.scope), bold=True)}\n  remote      {safe(held)}, and nothing here")


def _checked(project: "Project", generation: "Generation") -> str:
    """When a command last found that nothing changed since the run that left this generation; "" = none did."""
    return last_checked(str(project.state_dir), generation.scope, generation.name)


def _costs(project: "Project", ledger: "Ledger") -> dict[str, Any]:
    """The ledger, and the budget that this month has."""
    lines = ledger.lines()
    return {
        "month": ledger.month(),
        "paidUsd": sum(line.cost_usd for line in lines if line.month == ledger.month()),
        "budgetUsd": project.settings.costs.budget.month_usd,
        "ledger": [
            {
                "month": line.month,
                "usedFor": line.used_for,
                "modelId": line.model_id,
                "tokens": line.tokens,
                "costUsd": line.cost_usd,
            }
            for line in lines
        ],
    }


def _cost_lines(project: "Project", ledger: "Ledger") -> Iterator[str]:
    """What this month has cost, where anything did or a budget is set."""
    costs = _costs(project, ledger)
    budget = "" if costs["budgetUsd"] is None else f" of {dollars(costs['budgetUsd'])}"
    lines = [line for line in costs["ledger"] if line["month"] == costs["month"]]
    if lines or budget:
        yield f"costs    {dollars(costs['paidUsd'])}{budget} in {costs['month']}"
    for line in lines:
        words = f"{count(line['tokens'], 'token')}, {dollars(line['costUsd'])}"
        yield f"         {line['usedFor']} with {safe(line['modelId'])}: {words}"


def _generation(generation: "Generation", age: float) -> dict[str, Any]:
    return {
        "scope": generation.scope,
        "generation": generation.name,
        "publishedAt": generation.published_at,
        "ageSeconds": age,
        "pages": generation.pages,
        "records": generation.records,
        "modelId": generation.model_id,
        "estimatedTokens": generation.estimated_tokens,
        "estimatedCostUsd": generation.estimated_cost_usd,
        "sourceRevision": generation.source_revision,
    }


def _last_run_words(costs: Mapping[str, Any]) -> str:
    """How much was changed, and what most was paid for; "" where nothing is on record."""
    if "changedChunks" not in costs:
        return ""
    words = f"{count(costs['changedChunks'], 'chunk')} changed"
    dearest = ", ".join(f"{page['url']} ({page['tokens']:,} tokens)" for page in costs["expensivePages"][:3])
    built = ", ".join(f"{count(group['pages'], 'page')} {group['reason']}" for group in costs["buildOutput"])
    return words + (f"; dearest {dearest}" if dearest else "") + (f"; built? {built}" if built else "")


def _model_id(backends: "Backends", recorded: str) -> str:
    """The configured model, or why there is none: what is live can be told without it."""
    from searchsocket.errors import SearchSocketError

    try:
        return backends.embedder_of(recorded).model_id
    except SearchSocketError as error:
        return f"{_NO_MODEL}: {error})"


def _print_scope(generation: "Generation", age: float, model_id: str) -> None:
    known = generation.model_id == model_id or model_id.startswith(_NO_MODEL)
    other = "" if known else "  (another model than configured: `searchsocket index --force`)"
    click.echo(
        f"  generation  {generation.name}\n"
        f"  indexed     {ago(age)} ({generation.published_at})\n"
        f"  holds       {count(generation.pages, 'page')}, {count(generation.records, 'record')}\n"
        f"  model       {generation.model_id}{other}\n"
        f"  revision    {generation.source_revision or 'not known'}\n"
        f"  last cost   about {count(generation.estimated_tokens, 'token')}, {dollars(generation.estimated_cost_usd)}"
    )
