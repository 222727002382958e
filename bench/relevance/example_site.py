"""The committed collection: the example site of this repository and its golden queries."""

import csv
from pathlib import Path
from urllib.parse import urldefrag

from bench.relevance.collection import Collection, Document, Query
from searchsocket.html.extract import extract_html
from searchsocket.settings.site import ExtractSettings, TransformSettings
from searchsocket.types import RawPage

SITE = Path(__file__).parents[2] / "examples" / "docs-site"
NAME = "example_site"
WANTED, WOULD_DO = 2, 1  # grades: the first target of a query, and the others


def example_site() -> Collection:
    """Pages of the build as Markdown; queries of nonsense are left out, since no page answers them."""
    build = SITE / "build"
    documents = [found for path in sorted(build.rglob("*.html")) if (found := page_document(path, build)) is not None]
    known = {document.id for document in documents}
    queries, grades = [], {}
    with (SITE / "golden-queries.tsv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["target"]]
    for number, row in enumerate(rows):
        targets = list(dict.fromkeys(urldefrag(target).url for target in row["target"].split()))
        assert known.issuperset(targets), f"{row['query']!r} wants pages that are not indexed: {targets}"
        queries.append(Query(f"q{number:03}", row["query"], row["kind"]))
        grades[f"q{number:03}"] = dict.fromkeys(targets, WOULD_DO) | {targets[0]: WANTED}
    return Collection(NAME, tuple(documents), tuple(queries), grades)


def page_document(path: Path, build: Path) -> Document | None:
    """A page of a build folder as Markdown, by the path that names it; None where it is none to be indexed."""
    served = "/" + path.relative_to(build).as_posix()
    name = served.removesuffix(".html")
    url = (name.removesuffix("index") if name.endswith("/index") else name).rstrip("/") or "/"
    page = extract_html(
        path.read_bytes(), RawPage(url, served, served.lstrip("/"), ""), ExtractSettings(), TransformSettings()
    )
    return None if page.skip else Document(url, page.title, page.body)
