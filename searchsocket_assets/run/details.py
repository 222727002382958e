"""Metadata of a stage's result in Dagster, most useful first, since Dagster keeps the order; with sample answers."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import dagster as dg

from searchsocket.errors import SearchSocketError
from searchsocket.models.embedders.base import Embedder
from searchsocket.models.embedders.queries import NoVector, QueryVectors
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import origin_of
from searchsocket.pipeline.run.results import Numbers, StageResult
from searchsocket.project.project import index_folder
from searchsocket.search.query import SearchQuery
from searchsocket.text.skipped import skipped_words
from searchsocket.types import Vector

if TYPE_CHECKING:
    from searchsocket.search.engine import SearchEngine

Metadata: TypeAlias = dict[str, Any]  # name -> value for Dagster
_MAX_WARNINGS = 50
SAMPLES = "sample_queries"  # key of the metadata
_PAGES = 3
_MAX_SECONDS = 2.0  # for all of them
_MAX_CHARS = 80
_LOGIN = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^\s/@]*@", re.IGNORECASE)
_QUERY = re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s?#]*)\?[^\s)\"']*", re.IGNORECASE)


def details(instance: dg.DagsterInstance, key: dg.AssetKey, run: ScopeRun, result: StageResult[Numbers]) -> Metadata:
    """Metadata in this order: the numbers, the source of the pages, points to check, the output and its location.

    Numbers stay plain, so that Dagster plots them.
    """
    origin = origin_of(run.state, run.scope.name, run.corpus)
    texts = {
        **origin.source,
        "skipped": skipped_words(origin.skipped, origin.skip_reasons),
        "project": run.project.id,
        **{name: text for name, text in result.facts.items() if name not in origin.source},
    }
    metadata: Metadata = {"dagster/row_count": result.total, **result.numbers.values()}
    metadata |= {"seconds": round(result.seconds, 3), "warnings": len(result.warnings)}
    metadata |= {name: _value(name, text) for name, text in texts.items() if text}
    if result.generation and run.corpus.has_checks:
        metadata |= _sample_metadata(instance, key, run, result)
    if result.warnings:
        metadata["warning_list"] = dg.MetadataValue.md(bullets(result.warnings))
    metadata |= {key_of(title): table(rows) for title, rows in result.tables.items() if rows}
    if result.skipped:
        metadata["skipped_list"] = table([{"page": page.page, "reason": page.reason} for page in result.skipped])
    if result.preview:
        metadata["preview"] = dg.MetadataValue.md(result.preview)
    return metadata | _locations(run, result)


def _value(name: str, text: str) -> dg.MetadataValue[Any]:
    """A fact; one that is a folder can be opened."""
    return dg.MetadataValue.path(text) if name.endswith("_folder") else dg.MetadataValue.text(public(text))


def _locations(run: ScopeRun, result: StageResult[Numbers]) -> Metadata:
    """Existing folders and pages where a person can see the output."""
    locations: Metadata = {}
    folders = {
        "page_mirror": ("mirror_folder", run.project.mirror_dir / run.scope.name),
        "search_index": ("generation_folder", _index_folder(run) / run.scope.name / result.generation),
        "code_index": ("generation_folder", _index_folder(run) / run.scope.name / result.generation),
    }
    if result.stage in folders:
        name, folder = folders[result.stage]
        if folder.is_dir():
            locations = {name: dg.MetadataValue.path(folder), "dagster/uri": folder.absolute().as_uri()}
        if name == "generation_folder" and result.generation:
            locations["index_bytes"] = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if result.stage == "search_index":
        locations["mirror_folder"] = dg.MetadataValue.path(run.project.mirror_dir / run.scope.name)
        locations["diff"] = dg.MetadataValue.md(f"`searchsocket diff --scope {run.scope.name}`: what changed")
        locations["search_page"] = dg.MetadataValue.md(
            "[http://127.0.0.1:8181/](http://127.0.0.1:8181/) while `searchsocket serve` runs"
        )
    return locations


def _index_folder(run: ScopeRun) -> Path:
    return index_folder(run.project.settings.vector, run.project.state_dir)


def public(text: str) -> str:
    """Remove logins and queries from the URLs in `text`: they may contain a secret."""
    return _QUERY.sub(r"\1?…", _LOGIN.sub(r"\1", text))


def bullets(lines: Sequence[str]) -> str:
    """The first lines as a Markdown list, and the number of the others."""
    bulleted = [f"- {public(line)}" for line in lines[:_MAX_WARNINGS]]
    more = len(lines) - len(bulleted)
    return "\n".join([*bulleted, f"- and {more} more"] if more > 0 else bulleted)


def table(rows: Sequence[Mapping[str, object]]) -> dg.TableMetadataValue:
    """Rows of plain values, with a column for each key."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    records = [dg.TableRecord({key: _cell(row.get(key)) for key in columns}) for row in rows]
    kinds = {bool: "bool", int: "int", float: "float"}
    types = {key: kinds.get(type(records[0].data[key]), "string") for key in columns}
    schema = dg.TableSchema([dg.TableColumn(key, types[key]) for key in columns])
    return dg.MetadataValue.table(records=records, schema=schema)


def _cell(value: object) -> str | int | float | bool | None:
    if isinstance(value, str):
        return public(value)
    return value if value is None or isinstance(value, int | float | bool) else str(value)


def key_of(title: str) -> str:
    """Convert a table's title to a metadata key."""
    return "_".join(title.lower().split())


def _sample_metadata(
    instance: dg.DagsterInstance, key: dg.AssetKey, run: ScopeRun, result: StageResult[Numbers]
) -> Metadata:
    """The sample queries of the live generation after the stage; they run again only for a new generation."""
    records_filter = dg.AssetRecordsFilter(asset_key=key, asset_partitions=[run.scope.name])
    for record in instance.fetch_materializations(records_filter, limit=1).records:
        before = record.asset_materialization.metadata if record.asset_materialization else {}
        if SAMPLES in before and "generation" in before and before["generation"].value == result.generation:
            return {SAMPLES: before[SAMPLES]}
    live = run.backends.store.generation(run.scope)
    if live is None or live.name != result.generation:  # a command has published since
        return {}
    rows = _sample_answers(run)
    return {SAMPLES: table(rows)} if rows else {}


def _sample_answers(run: ScopeRun) -> Sequence[Mapping[str, object]]:
    """Search for the titles of some pages in the live generation, and return the first result of each.

    The pages are spread over the site, and the same while the site is the same. A remote model is not called: such
    queries use words only. A failed query shows its error code, since the generation is live anyway.
    """
    engine, began = _engine(run), perf_counter()
    rows: list[Mapping[str, object]] = []
    for title in _titles(run):
        if perf_counter() - began > _MAX_SECONDS:
            break
        try:
            first = next(iter(engine.search(SearchQuery(title, top_k=1), run.scope).results), None)
        except SearchSocketError as error:
            rows.append({"query": title, "first_result": error.code, "score": None})
        else:
            score = round(first.score, 3) if first else None
            rows.append({"query": title, "first_result": first.url if first else "nothing", "score": score})
    return rows


def _titles(run: ScopeRun) -> list[str]:
    with run.state.open(run.scope.name) as state:
        titles = [state.mirror.page(page_id).extract.title for page_id in state.mirror.spread(_PAGES)]
    return [" ".join(title.split())[:_MAX_CHARS] for title in titles]


class _OnThisMachine(QueryVectors):
    """Query vectors without remote calls."""

    def vector(self, embedder: Embedder, text: str, *, anonymous: bool = False) -> Vector | NoVector:
        return NoVector.OVER_BUDGET if embedder.is_remote else super().vector(embedder, text, anonymous=anonymous)


def _engine(run: ScopeRun) -> "SearchEngine":
    from searchsocket.search.engine import SearchEngine  # heavy; only a run that publishes needs it

    queries = _OnThisMachine(run.backends.embedder_of)
    ranking, curation = run.project.settings.ranking, run.backends.curation
    return SearchEngine(run.backends.store, queries, ranking, run.clock, curation=curation)
