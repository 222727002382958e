"""A static export of a collection, queried in Node as a browser queries it."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.relevance.collection import Collection
from bench.relevance.metrics import Ranking
from bench.relevance.product import SCOPE, Indexes
from searchsocket.extensions.export.files import export_generation
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search.bounds import MAX_QUERY_CHARS

ASK = Path(__file__).parents[2] / "clients" / "js" / "scripts" / "ask-static.mjs"
_SHOWN = 10  # more results would read more texts than a visitor's browser does


def export_of(collection: Collection, indexes: Indexes, work: Path) -> tuple[Path, Mapping[str, str]]:
    """The export of a collection, made once, and its document ids by URL."""
    [indexed] = indexes.of(collection)
    folder = work / collection.name.partition(" ")[0]
    if not folder.is_dir():
        export_generation(indexed.store.reader(SCOPE), RankingSettings(), folder)
    return folder, indexed.ids


def ranking(collection: Collection, folder: Path, ids: Mapping[str, str]) -> Ranking:
    """The first ten documents for each query, without those that it excludes."""
    requests = {
        one.id: {"q": one.text[:MAX_QUERY_CHARS], "topK": _SHOWN + len(one.exclude)} for one in collection.queries
    }
    answers = ask(folder, requests)
    rankings: dict[str, Sequence[str]] = {}
    for query in collection.queries:
        documents = [ids[result["url"]] for result in answers[query.id]["results"]]
        rankings[query.id] = [one for one in documents if one not in query.exclude]
    return rankings


def ask(folder: Path, requests: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """Answers of an export by the id of each request."""
    with TemporaryDirectory() as work:
        source, target = Path(work) / "requests.json", Path(work) / "answers.json"
        source.write_text(json.dumps({"folder": str(folder), "requests": requests}))
        subprocess.run(["node", ASK, source, target], check=True)
        answers: Mapping[str, Any] = json.loads(target.read_text())
    return answers
