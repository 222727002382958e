"""The committed collection: the example site of this repository and its golden queries."""

from pathlib import Path
from urllib.parse import urldefrag

from bench.relevance.collection import Collection, Document, Query
from examples.site_archive import unpack
from searchsocket.content.html.extract import extract_html
from searchsocket.content.pages import RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.quality.golden import BEST, GOOD, read_golden

SITE = Path(__file__).parents[2] / "examples" / "docs-site"
NAME = "example_site"


def example_site() -> Collection:
    """Pages of the build as Markdown; queries of nonsense are left out, since no page answers them."""
    build = unpack()
    documents = [found for path in sorted(build.rglob("*.html")) if (found := page_document(path, build)) is not None]
    ids = {document.id for document in documents}
    queries, grades = [], {}
    golden = [each for each in read_golden(SITE / "golden-queries.tsv") if each.expect]
    for number, each in enumerate(golden):
        targets = list(dict.fromkeys(urldefrag(place).url for place in each.expect))
        assert ids.issuperset(targets), f"{each.query!r} wants pages that are not indexed: {targets}"
        queries.append(Query(f"q{number:03}", each.query, each.tags[0]))
        grades[f"q{number:03}"] = dict.fromkeys(targets, GOOD) | {targets[0]: BEST}
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
