"""`searchsocket status`: the index of each scope with its age, size, model and cost (spec 17, 21)."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.exits import FAILED
from searchsocket.cli.options import json_option, load_project, project_option
from searchsocket.cli.output import PartStatus, ago, count, hanging, line_width, print_json, safe, size
from searchsocket.cli.summary import TEXT_COLUMN, source_lines
from searchsocket.dollars import dollars
from searchsocket.errors import SearchSocketError
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.models.paying.ledger import Ledger
from searchsocket.pipeline.run.index import last_run_costs, origin_of
from searchsocket.pipeline.run.upgrade import indexed_scopes
from searchsocket.pipeline.unchanged.record import last_checked
from searchsocket.project.project import Project
from searchsocket.stores.base.vector_store import Health, VectorStore
from searchsocket.stores.base.vectors import RegisteredScope
from searchsocket.system.files import bytes_below
from searchsocket.system.json_text import JsonObject, json_fields
from searchsocket.text.amounts import age_s
from searchsocket.text.skipped import skipped_words
from searchsocket.types import Generation
from searchsocket.web.versions.rows import version_rows, version_words

_NO_MODEL = "(none"


@dataclass(frozen=True, slots=True)
class RemoteCounts:
    """Scopes and row counts of the remote vector store."""

    registered: Mapping[str, RegisteredScope]  # by scope
    rows: Mapping[str, int]  # of the live generation, by scope
    error: str = ""  # why there are no counts

    def line(self, generation: Generation) -> str:
        """Return the text for one scope that is live here."""
        if self.error:
            return self.error
        fix = f"; run `searchsocket index --resync --scope {generation.scope}`"
        scope = self.registered.get(generation.scope)
        if scope is None:
            return f"no rows{fix}"
        rows = self.rows[generation.scope]
        counts = f"{rows:,} of {count(generation.records, 'row')}, {count(len(scope.generations), 'generation')}"
        return counts if rows == generation.records else counts + fix

    def others(self, live: Sequence[Generation]) -> Iterator[RegisteredScope]:
        """Return the scopes that exist only in the remote store."""
        local_names = {generation.scope for generation in live}
        return (each for scope, each in self.registered.items() if scope not in local_names)

    def to_json(self) -> JsonObject:
        scopes = [
            {
                "scope": each.scope,
                "generations": list(each.generations),
                "indexedAt": each.indexed_at,
                "modelId": each.model_id,
                "records": each.records,
                "rows": self.rows.get(each.scope),
            }
            for each in self.registered.values()
        ]
        return {"error": self.error or None, "scopes": scopes}


def remote_counts(store: VectorStore, live: Sequence[Generation]) -> RemoteCounts | None:
    """Return counts for the project's scopes; None if vectors are stored in the index's folder."""

    if (remote := store.remote_index) is None:
        return None
    try:
        registered = {each.scope: each for each in remote.registered()}
        return RemoteCounts(registered, {each.scope: remote.count(each) for each in live})
    except SearchSocketError as error:
        return RemoteCounts({}, {}, f"[{error.code}] {error}")


@click.command()
@project_option
@json_option
def status(root: Path, as_json: bool) -> None:
    """Show the index of each scope: age, size, model and cost.

    The exit status is 1 if an index cannot be searched.

    \b
    Example:
      searchsocket status --json
    """

    report = StatusReport.of(load_project(root), os.environ)
    if as_json:
        print_json(report.to_json())
    else:
        for line in report.lines():
            click.echo(line)
    if not report.health.ok or any(part.is_broken for part in report.parts.values()):
        raise SystemExit(FAILED)


@dataclass(frozen=True)
class StatusReport:
    """Status of a project; an unavailable value contains its reason."""

    project: Project
    backends: Backends
    scope: str  # the default scope of commands; "(none: ...)" if there is none
    generations: Sequence[Generation]
    remote: RemoteCounts | None
    parts: Mapping[str, PartStatus]  # of extensions
    now: datetime

    @classmethod
    def of(cls, project: Project, environ: Mapping[str, str]) -> "StatusReport":
        try:
            scope = project.scope(environ).name
        except SearchSocketError as error:  # for example without a branch; the other lines are still possible
            scope = f"(none: {error})"
        backends = Backends(project, environ, calls=False)
        generations: list[Generation] = []
        with suppress(SearchSocketError):  # `health` reports it
            generations = backends.store.list_scopes()
        parts = {each.name: load(each.status)(project) for each in extensions() if each.status}
        remote = remote_counts(backends.store, generations)
        return cls(project, backends, scope, generations, remote, parts, datetime.now(UTC))

    @cached_property
    def health(self) -> Health:
        return self.backends.store.health()

    @cached_property
    def bytes_used(self) -> int:
        return bytes_below(self.project.state_dir)

    @cached_property
    def models(self) -> Mapping[str, str]:
        """Model of a live generation -> the configured model that answers for it; key "" without a live one."""
        return {recorded: _model_id(self.backends, recorded) for recorded in {self._live_model, *self._live.values()}}

    @property
    def model_id(self) -> str:
        return self.models[self._live_model]

    @cached_property
    def older_formats(self) -> Mapping[str, int]:
        """Scope of the site -> the format of its index, of those that an older release wrote."""
        indexes = indexed_scopes(self.project)
        return {each.scope.name: each.format for each in indexes if each.corpus == "site" and each.is_older}

    def to_json(self) -> JsonObject:
        return {
            "projectId": self.project.id,
            "scope": self.scope,
            "modelId": self.model_id,
            "stateBytes": self.bytes_used,
            "costs": _costs(self.project, self.backends.ledger),
            "vectorBackend": {"provider": self.project.settings.vector.provider, **asdict(self.health)},
            "remote": self.remote.to_json() if self.remote else None,
            "scopes": [self._scope_json(generation) for generation in self.generations],
            **{name: part.json for name, part in self.parts.items()},
        }

    def lines(self) -> Iterator[str]:
        """Yield texts for people; each may have several lines."""
        yield f"project  {safe(self.project.id)}\nscope    {safe(self.scope)}\nmodel    {safe(self.model_id)}"
        yield f"state    {safe(str(self.project.state_dir))}, {size(self.bytes_used)}"
        health = "healthy" if self.health.ok else "BROKEN: " + safe(self.health.details)
        yield f"vectors  {self.project.settings.vector.provider}, {health}"
        yield from _cost_lines(self.project, self.backends.ledger)
        if not self.generations and self.health.ok:
            yield "\nNo scope is indexed yet; run `searchsocket index`."
        for generation in self.generations:
            yield from self._scope_lines(generation)
        for part in self.parts.values():
            yield from part.lines
        for remote_scope in self.remote.others(self.generations) if self.remote else ():
            contents = f"{count(remote_scope.records, 'record')} of {remote_scope.indexed_at}"
            name = click.style(safe(remote_scope.scope), bold=True)
            yield f"\n{name}\n  remote      {safe(contents)}, no local index"

    @property
    def _live(self) -> Mapping[str, str]:
        """Scope -> model."""
        return {generation.scope: generation.model_id for generation in self.generations}

    @property
    def _live_model(self) -> str:
        return self._live.get(self.scope, "")

    def _scope_json(self, generation: Generation) -> JsonObject:
        state, origin = self.backends.state, origin_of(self.backends.state, generation.scope)
        return {
            **_generation(generation, age_s(generation.published_at, self.now)),
            "checkedAt": _last_check(self.project, generation) or None,
            "olderFormat": self.older_formats.get(generation.scope),
            "source": origin.source,
            "versions": version_rows(generation.versions),
            "skipReasons": dict(origin.skip_reasons),
            "lastRun": last_run_costs(state, generation.scope),
        }

    def _scope_lines(self, generation: Generation) -> Iterator[str]:
        yield f"\n{click.style(generation.scope, bold=True)}"
        origin = origin_of(self.backends.state, generation.scope)
        yield from _text_lines(
            *source_lines(origin.source), ("skipped", skipped_words(origin.skipped, origin.skip_reasons))
        )
        if (number := self.older_formats.get(generation.scope)) is not None:
            yield from _text_lines(("format", f"{number}, of an older release; run `searchsocket upgrade`"))
        yield from _text_lines(("versions", version_words(version_rows(generation.versions))))
        yield _scope(generation, age_s(generation.published_at, self.now), self.models[generation.model_id])
        yield from _text_lines(("last run", _last_run_words(last_run_costs(self.backends.state, generation.scope))))
        if self.remote:
            yield f"  remote      {safe(self.remote.line(generation))}"
        if checked := _last_check(self.project, generation):
            yield f"  checked     {ago(age_s(checked, self.now))} ({checked}): nothing changed"


def _text_lines(*lines: tuple[str, str]) -> Iterator[str]:
    """Yield texts after their names, wrapped; empty texts are left out."""
    for name, text in lines:
        if text:
            yield hanging(f"  {name:<11} {safe(text)}", line_width(), TEXT_COLUMN)


def _last_check(project: Project, generation: Generation) -> str:
    """Return the time of the last check that found no changes since this generation; "" = there was none."""
    return last_checked(str(project.state_dir), generation.scope, generation.name)


def _costs(project: Project, ledger: Ledger) -> JsonObject:
    """Return the ledger and this month's budget."""
    lines = ledger.lines()
    return {
        "month": ledger.month(),
        "paidUsd": sum(line.cost_usd for line in lines if line.month == ledger.month()),
        "budgetUsd": project.settings.costs.budget.month_usd,
        "ledger": list(map(json_fields, lines)),
    }


def _cost_lines(project: Project, ledger: Ledger) -> Iterator[str]:
    """Yield this month's cost, if there was any or a budget is set."""
    costs = _costs(project, ledger)
    budget = "" if costs["budgetUsd"] is None else f" of {dollars(costs['budgetUsd'])}"
    lines = [line for line in costs["ledger"] if line["month"] == costs["month"]]
    if lines or budget:
        yield f"costs    {dollars(costs['paidUsd'])}{budget} in {costs['month']}"
    for line in lines:
        words = f"{count(line['tokens'], 'token')}, {dollars(line['costUsd'])}"
        yield f"         {line['usedFor']} with {safe(line['modelId'])}: {words}"


def _generation(generation: Generation, age: float) -> JsonObject:
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
        "vectorIndex": generation.vector_index,
        "recall10": generation.recall.recall10 if generation.recall else None,
    }


def _last_run_words(costs: JsonObject) -> str:
    """Describe the changed chunks and the largest costs of the last run; "" without a record."""
    if "changedChunks" not in costs:
        return ""
    words = f"{count(costs['changedChunks'], 'chunk')} changed"
    dearest = ", ".join(f"{page['url']} ({page['tokens']:,} tokens)" for page in costs["expensivePages"][:3])
    built = ", ".join(f"{count(group['pages'], 'page')} {group['reason']}" for group in costs["buildOutput"])
    return words + (f"; most costly: {dearest}" if dearest else "") + (f"; generated? {built}" if built else "")


def _model_id(backends: Backends, recorded: str) -> str:
    """Return the configured model, or the reason why there is none, since the status does not need it."""
    try:
        return backends.embedder_of(recorded).model_id
    except SearchSocketError as error:
        return f"{_NO_MODEL}: {error})"


def _recall(generation: Generation) -> str:
    """Return the line about an approximate vector index; "" if it is exact."""
    recall = generation.recall
    return f"  vectors     {safe(generation.vector_index)}, recall@10 {recall.recall10:.3f}\n" if recall else ""


def _scope(generation: Generation, age: float, model_id: str) -> str:
    has_model = generation.model_id == model_id or model_id.startswith(_NO_MODEL)
    hint = "" if has_model else "  (not the configured model; run `searchsocket index --force`)"
    return (
        f"  generation  {generation.name}\n"
        f"  indexed     {ago(age)} ({generation.published_at})\n"
        f"  contents    {count(generation.pages, 'page')}, {count(generation.records, 'record')}\n"
        f"  model       {generation.model_id}{hint}\n"
        f"{_recall(generation)}"
        f"  revision    {generation.source_revision or 'unknown'}\n"
        f"  last cost   about {count(generation.estimated_tokens, 'token')}, {dollars(generation.estimated_cost_usd)}"
    )
