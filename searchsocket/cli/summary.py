"""Describe the outcome of an index run."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from searchsocket.cli.output import count, safe
from searchsocket.dollars import dollars
from searchsocket.system.json_text import JsonObject
from searchsocket.text.skipped import Skipped, skipped_words
from searchsocket.web.versions.rows import version_words

if TYPE_CHECKING:
    from searchsocket.pipeline.run.context import Corpus
    from searchsocket.pipeline.run.summary import IndexSummary

_MORE = re.compile(r"\.\.\. and (\d+) more like the last one")
_SIZES = re.compile(r": [\d,]+ characters, \d+ pieces$")
_MAX_WARNINGS = 10
_REFUSED = (("cut", "cut to what the provider takes"), ("leftOut", "left out, as the provider refused them"))
TEXT_COLUMN = 14  # column of the text in a line, after its name


def summary_lines(summary: "IndexSummary", before: str, corpus: "Corpus") -> Iterator[str]:
    """Yield a headline, then one line per count, then warnings.

    Args:
        before: The generation that was live before the run; "" without one.
        corpus: The indexed corpus.
    """

    yield _headline(summary, before, corpus.title and f" {corpus.title}")
    yield from (_line(*each) for each in source_lines(summary.source))
    pages, chunks, vectors, records = summary.pages, summary.chunks, summary.embeddings, summary.records
    yield _line(corpus.documents, _page_words(pages))
    if words := skipped_words(summary.skipped, summary.skip_reasons):
        yield _line("skipped", safe(words))
    if words := version_words(summary.versions):
        yield _line("versions", safe(words))
    if any(summary.routes.values()):
        guesses = f", {summary.routes['bestEffort']:,} best guesses" if summary.routes["bestEffort"] else ""
        yield _line("edit files", f"{summary.routes['exact']:,} of {pages['indexed']:,} pages{guesses}")
    yield _line("chunks", f"{chunks['total']:,} ({chunks['changed']:,} changed)")
    refused = [f"{vectors[name]:,} {words}" for name, words in _REFUSED if vectors[name]]
    numbers = [f"{vectors['reused']:,} reused from the cache", f"{vectors['created']:,} new", *refused]
    yield _line("embeddings", ", ".join(numbers))
    yield _line("records", f"{records['upserted']:,} upserted, {records['deleted']:,} deleted")
    yield from (_line(*each) for each in _cost_lines(summary))
    spent = dict(summary.seconds)
    total = spent.pop("total", sum(spent.values()))
    yield _line("seconds", f"{total:.2f}: " + " · ".join(f"{name} {took:.2f}" for name, took in spent.items()))
    yield from _warning_lines(summary.warnings)


def unchanged_lines(summary: JsonObject, run_id: str, seconds: float) -> Iterator[str]:
    """Yield the lines of a command that needed no run.

    Args:
        summary: Summary of a run without changes, as JSON.
        run_id: The last run.
    """
    yield (
        f"{click.style(summary['scope'], bold=True)}: nothing changed since run {run_id}; generation "
        f"{summary['generation']} stays live"
    )
    yield from (_line(*each) for each in source_lines(summary["source"]))
    yield _line("pages", _page_words(summary["pages"]))
    if summary["skipReasons"]:
        skipped = [Skipped(**each) for each in summary["skipped"]]
        yield _line("skipped", safe(skipped_words(skipped, summary["skipReasons"])))
    if words := version_words(summary.get("versions", ())):
        yield _line("versions", safe(words))
    yield _line("run", "not needed; with --record, Dagster shows one")
    yield _line("seconds", f"{seconds:.2f}")
    yield from _warning_lines(summary["warnings"])


def _page_words(pages: Mapping[str, int]) -> str:
    return (
        f"{pages['found']:,} found, {pages['indexed']:,} indexed, {pages['skipped']:,} skipped, "
        f"{pages['failed']:,} failed, {pages['removed']:,} removed"
    )


def _warning_lines(warnings: Sequence[str]) -> Iterator[str]:
    lines = grouped_warnings(warnings)
    for line in lines[:_MAX_WARNINGS]:
        yield click.style(f"  warning     {safe(line)}", fg="yellow")
    if len(lines) > _MAX_WARNINGS:
        yield f"  and {count(len(lines) - _MAX_WARNINGS, 'more warning')}; --json lists them all"


def grouped_warnings(warnings: Sequence[str]) -> list[str]:
    """Return one line per kind of warning; repeated ones get a count and the first page.

    Args:
        warnings: As written by a stage: `PAGE: TEXT`, other sentences, and `... and N more like the last one`.
    """
    groups: dict[str, list[str]] = {}  # text without its own sizes -> the whole warnings
    counts: Counter[str] = Counter()
    text = ""
    for warning in warnings:
        if text and (more := _MORE.fullmatch(warning)):
            counts[text] += int(more[1])
            continue
        page, _, message = warning.partition(": ")
        text = _SIZES.sub("", message) if message and " " not in page else warning
        groups.setdefault(text, []).append(warning)
        counts[text] += 1
    return [
        first if counts[text] == 1 else f"{counts[text]:,} times: {text}; first in {first.partition(': ')[0]}"
        for text, (first, *_) in groups.items()
    ]


def _cost_lines(summary: "IndexSummary") -> Iterator[tuple[str, str]]:
    """Yield the estimated cost, the charge and, for a plan, the most costly pages."""
    charged = (
        f"; charged {count(summary.charged_tokens, 'token')}, {dollars(summary.charged_cost_usd)}"
        if summary.charged_cost_usd
        else ""
    )
    yield "cost", f"about {count(summary.estimated_tokens, 'token')}, {dollars(summary.estimated_cost_usd)}{charged}"
    if not summary.dry_run:
        return
    for number, page in enumerate(summary.expensive_pages):
        share = page["tokens"] / max(1, summary.estimated_tokens)
        yield "" if number else "most costly", f"{page['tokens']:>7,} tokens, {share:>4.0%}  {safe(page['url'])}"
    for group in summary.build_output:
        cost = f"{count(group['tokens'], 'token')}, {dollars(group['cost_usd'])}"
        words = f"{count(group['pages'], 'page')} {group['reason']}: {cost}, e.g. {safe(group['example'])}"
        yield "generated?", f"{words}; exclude them with source.exclude"


def source_lines(facts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the source of the pages as (name, text) lines: first mode, location and generator, then other details.

    Args:
        facts: See `SourceOrigin.facts`.
    """
    first = ("source", "folder", "address", "revision")
    made_by = f" ({facts['generator']})" if "generator" in facts else ""
    if words := ", ".join(facts[name] for name in first if name in facts):
        yield "source", safe(words + made_by)
    yield from ((name, safe(text)) for name, text in facts.items() if name not in (*first, "generator"))


def _headline(summary: "IndexSummary", before: str, corpus_title: str) -> str:
    scope = click.style(summary.scope, bold=True) + corpus_title
    if summary.dry_run:
        return f"{scope}: plan only; nothing was called or written"
    if not summary.generation:
        return f"{scope}: nothing to publish"
    if summary.generation == before:
        return f"{scope}: nothing changed; generation {before} stays live"
    return f"{scope}: published generation {click.style(summary.generation, bold=True)}"


def _line(name: str, text: str) -> str:
    return f"  {name:<11} {text}"
