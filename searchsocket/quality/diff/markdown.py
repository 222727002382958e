"""Format a diff as a comment for a pull request: a headline, numbers, and collapsible lists."""

import re
from collections.abc import Iterable, Iterator, Sequence

from searchsocket.dollars import dollars
from searchsocket.quality.diff.report import Diff
from searchsocket.quality.judgement import IndexJudgement

MARK = "<!-- searchsocket diff -->"  # identifies the comment, so that the next run can update it
_ROWS = 50
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#@~])")


def comment(diff: Diff) -> str:
    """Format a diff as Markdown for GitHub; texts of pages and queries are escaped."""
    content = diff.content
    lines = [MARK, "### Search index", "", *_headline(diff), ""]
    lines += [
        "| | added | removed | changed | moved |",
        "| --- | ---: | ---: | ---: | ---: |",
        f"| pages | {len(content.added)} | {len(content.removed)} | {len(content.changed)} | {len(content.moved)} |",
        f"| chunks | {content.chunks_added} | {content.chunks_removed} | | |",
        "",
        f"{content.new_texts:,} new texts, about {content.new_tokens:,} tokens, {dollars(diff.cost_usd)}",
        "",
    ]
    if diff.judgement:
        lines += _golden(diff.judgement)
    lines += _list("New broken links", _dead(diff), is_open=True)
    lines += _list("Moved pages, as rows of `_redirects`", _fence(diff.redirects()))
    lines += _list("Pages added", (f"- {_code(page.url)} {_plain(page.title)}" for page in content.added))
    lines += _list("Pages removed", (f"- {_code(page.url)} {_plain(page.title)}" for page in content.removed))
    lines += _list(
        "Pages changed",
        (f"- {_code(page.url)} {_plain(page.title)}: +{page.added} −{page.removed} chunks" for page in content.changed),
    )
    return "\n".join(lines).rstrip() + "\n"


def _headline(diff: Diff) -> Iterator[str]:
    before, after = diff.before, diff.after
    revision = f" at {_code(after.source_revision[:12])}" if after.source_revision else ""
    size = f"{after.pages:,} pages, {after.records:,} chunks"
    is_one_scope = before.scope == after.scope
    new, old = (f"{side.scope}@{side.name}" if is_one_scope else side.scope for side in (after, before))
    yield f"{_code(new)}{revision} against {_code(old)}: {size}."
    if diff.content.is_empty:
        yield "No page changed."


def _golden(judged: IndexJudgement) -> list[str]:
    now, previous = judged.now, judged.before
    mark = "✅" if judged.passed else "❌"
    words = [
        f"{name} {getattr(now, field):.3f}" + (f" (was {getattr(previous, field):.3f})" if previous else "")
        for field, name in (("recall", "recall@k"), ("mrr10", "MRR@10"), ("ndcg10", "nDCG@10"))
    ]
    lines = [f"{mark} {now.queries} golden queries: {', '.join(words)}", ""]
    lines += [f"- {_plain(reason)}" for reason in judged.reasons] + [""] * bool(judged.reasons)
    rows = [
        f"| {_plain(move.query)} | {_code(move.place)} | {move.before or '–'} → {move.after or '–'} "
        f"| {_plain(move.why)} |"
        for move in judged.moves
    ]
    table = ["| query | page | rank | why |", "| --- | --- | --- | --- |", *rows] if rows else []
    return [*lines, *_list("Golden queries that changed", table, is_open=not judged.passed)]


def _dead(diff: Diff) -> list[str]:
    return [f"- {_code(link.target)} on {_code(link.page)}" for link in diff.dead_links]


def _list(title: str, items: Iterable[str], *, is_open: bool = False) -> list[str]:
    rows = list(items)
    if not rows:
        return []
    if len(rows) > _ROWS + 2:
        rows = [*rows[:_ROWS], f"- and {len(rows) - _ROWS} more"]
    return [f"<details{' open' * is_open}><summary>{title}</summary>", "", *rows, "", "</details>", ""]


def _fence(rows: Sequence[str]) -> list[str]:
    return ["```text", *rows, "```"] if rows else []


def _code(text: str) -> str:
    """Format a path or name as code; backticks and pipes are percent-encoded."""
    return f"`{' '.join(text.replace('`', '%60').replace('|', '%7C').split())}`" if text else "–"


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
