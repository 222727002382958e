"""A diff as the comment of a pull request: a headline, numbers, and lists that open."""

import re
from collections.abc import Iterable, Iterator, Sequence

from searchsocket.dollars import dollars
from searchsocket.quality.diff.report import Diff
from searchsocket.quality.judgement import IndexJudgement

MARK = "<!-- searchsocket diff -->"  # by which whoever posts it finds the comment again
_ROWS = 50
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#@~])")


def comment(diff: Diff) -> str:
    """Markdown for GitHub; what comes from pages and queries can break out of no place."""
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
    # One scope is compared with itself at another time.
    names = [one.scope if before.scope != after.scope else f"{one.scope}@{one.name}" for one in (after, before)]
    yield f"{_code(names[0])}{revision} against {_code(names[1])}: {size}."
    if diff.content.is_empty:
        yield "No page changed."


def _golden(judged: IndexJudgement) -> list[str]:
    now, was = judged.now, judged.before
    mark = "✅" if judged.passed else "❌"
    words = [
        f"{name} {getattr(now, field):.3f}" + (f" (was {getattr(was, field):.3f})" if was else "")
        for field, name in (("recall", "recall@k"), ("mrr10", "MRR@10"), ("ndcg10", "nDCG@10"))
    ]
    lines = [f"{mark} {now.queries} golden queries: {', '.join(words)}", ""]
    lines += [f"- {_plain(reason)}" for reason in judged.reasons] + [""] * bool(judged.reasons)
    rows = [
        f"| {_plain(one.query)} | {_code(one.place)} | {one.before or '–'} → {one.after or '–'} | {_plain(one.why)} |"
        for one in judged.moves
    ]
    table = ["| query | page | rank | why |", "| --- | --- | --- | --- |", *rows] if rows else []
    return [*lines, *_list("Golden queries that changed", table, is_open=not judged.passed)]


def _dead(diff: Diff) -> list[str]:
    return [f"- {_code(link.target)} on {_code(link.page)}" for link in diff.dead_links]


def _list(title: str, items: Iterable[str], *, is_open: bool = False) -> list[str]:
    rows = list(items)
    if not rows:
        return []
    rest = [f"- and {len(rows) - _ROWS} more"] if len(rows) > _ROWS + 2 else []
    listed = rows[:_ROWS] + rest if rest else rows
    return [f"<details{' open' * is_open}><summary>{title}</summary>", "", *listed, "", "</details>", ""]


def _fence(rows: Sequence[str]) -> list[str]:
    return ["```text", *rows, "```"] if rows else []


def _code(text: str) -> str:
    """Text of a path or name as code; a backtick in it would end that."""
    return f"`{' '.join(text.replace('`', '%60').replace('|', '%7C').split())}`" if text else "–"


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
