"""Search packages that a site owner can use instead: MiniSearch, lunr, Orama, Pagefind, on the same pages and queries.

They run in Node, in one process per collection (`npm_peers/peers.mjs`; run `npm ci` in that folder first). All get the
same input as our own index: the title, the headings and the text of a page, without the targets of its links.
"""

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from markdown_it import MarkdownIt

from bench.relevance.collection import Collection, Document
from bench.relevance.metrics import Ranking
from bench.relevance.rankers import DEPTH

FOLDER = Path(__file__).with_name("npm_peers")
PEERS = ("MiniSearch, tuned", "lunr, tuned", "Orama with QPS, tuned", "Pagefind as Starlight ships it")
_LINK = re.compile(r"\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_HEADING_ID = re.compile(r"\s*\{#[^}]*\}\s*$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}\s+(.*)$", re.MULTILINE)


class Peer:
    """One package; all packages rank a collection in the same run."""

    _rankings: dict[str, Mapping[str, Mapping[str, Sequence[str]]]] = {}

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, collection: Collection) -> Ranking:
        if collection.name not in self._rankings:
            self._rankings[collection.name] = _ask(collection)
        ranking = self._rankings[collection.name][self.name]
        return {
            query.id: [one for one in ranking[query.id] if one not in query.exclude][:DEPTH]
            for query in collection.queries
        }


def _ask(collection: Collection) -> Mapping[str, Mapping[str, Sequence[str]]]:
    if not (FOLDER / "node_modules").is_dir():
        raise SystemExit(f"the peers are not installed; run `npm ci` in {FOLDER}")
    request = {
        "documents": [_fields(document) for document in collection.documents],
        "queries": [{"id": query.id, "text": query.text} for query in collection.queries],
    }
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "asked.json", Path(folder) / "found.json"
        source.write_text(json.dumps(request), encoding="utf-8")
        subprocess.run(["node", "peers.mjs", source, target], cwd=FOLDER, check=True)
        rankings: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(target.read_text(encoding="utf-8"))
    return rankings


def _fields(document: Document) -> dict[str, str]:
    text = _LINK.sub("]", _HEADING_ID.sub("", document.text))
    headings = "\n".join(_HEADING.findall(text))
    html = MarkdownIt().render(text)
    if "<h1>" not in html:
        html = f"<h1>{document.title}</h1>{html}"
    return {"id": document.id, "title": document.title, "headings": headings, "text": text, "html": html}
