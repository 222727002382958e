"""Quality as tables: one for people, and one in the repository, so that a change reads as a diff."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.relevance.metrics import Quality

HEADER = "collection\tranker\tqueries\tnDCG@10\tMRR@10\trecall@10\trecall@50\tcommit"
SITES = "site_"  # collections whose mean is a bar of its own


@dataclass(frozen=True, slots=True)
class Row:
    collection: str
    kind: str  # query class; `all` for the total
    ranker: str
    quality: Quality


def table(rows: Sequence[Row], *, by_class: bool) -> str:
    """All rows as aligned text, the means over the site collections last."""
    listed = [row for row in rows if by_class or row.kind == "all"]
    lines = [("collection", "class", "ranker", "queries", "nDCG@10", "MRR@10", "recall@10", "recall@50")]
    for row in [*listed, *_site_means(rows)]:
        lines.append((row.collection, row.kind, row.ranker, *_numbers(row.quality)))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) if column < 3 else cell.rjust(width)
                  for column, (cell, width) in enumerate(zip(line, widths, strict=True)))
        for line in lines
    )  # fmt: skip


def keep(path: Path, commit: str, rows: Sequence[Row]) -> None:
    """Write the totals to `path`; a row of the same collection and ranker replaces its old one."""
    rows_by_key: dict[tuple[str, str], str] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            collection, ranker, _ = line.split("\t", 2)
            rows_by_key[collection, ranker] = line
    for row in [*(row for row in rows if row.kind == "all"), *_site_means(rows)]:
        rows_by_key[row.collection, row.ranker] = "\t".join(
            (row.collection, row.ranker, *_numbers(row.quality), commit)
        )
    path.write_text("\n".join([HEADER, *(rows_by_key[key] for key in sorted(rows_by_key))]) + "\n", encoding="utf-8")


def _site_means(rows: Sequence[Row]) -> list[Row]:
    sites = [row for row in rows if row.kind == "all" and row.collection.startswith(SITES)]
    means = []
    for ranker in dict.fromkeys(row.ranker for row in sites):
        qualities = [row.quality for row in sites if row.ranker == ranker]
        columns = zip(*((q.ndcg10, q.mrr10, q.recall10, q.recall50) for q in qualities), strict=True)
        mean = Quality(
            sum(quality.queries for quality in qualities), *(sum(column) / len(qualities) for column in columns)
        )
        means.append(Row("sites (mean)", "all", ranker, mean))
    return means


def _numbers(quality: Quality) -> tuple[str, ...]:
    values = (quality.ndcg10, quality.mrr10, quality.recall10, quality.recall50)
    return (str(quality.queries), *(f"{value:.3f}" for value in values))
