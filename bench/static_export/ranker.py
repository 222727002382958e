"""A static export as a ranker of `bench.relevance`: the same index as the product, asked in Node."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.relevance.collection import Collection
from bench.relevance.metrics import Ranking
from bench.relevance.product import DEPTH, SCOPE, Indexes
from searchsocket.export.files import export_generation
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search.bounds import MAX_QUERY_CHARS, MAX_TOP_K

ASK = Path(__file__).with_name("ask.mjs")


class StaticExport:
    """Exports what the product indexed, each collection once."""

    name = "static export"

    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes
        self._folder = TemporaryDirectory()

    def __call__(self, collection: Collection) -> Ranking:
        rankings: dict[str, Sequence[str]] = {}
        for number, indexed in enumerate(self._indexes.of(collection)):
            folder = Path(self._folder.name) / collection.name.partition(" ")[0] / str(number)
            if not folder.is_dir():
                export_generation(indexed.store.reader(SCOPE), RankingSettings(), folder)
            own = [query for query in collection.queries if query.scope == indexed.scope]
            wanted = {
                query.id: (query.text[:MAX_QUERY_CHARS], min(DEPTH + len(query.exclude), MAX_TOP_K)) for query in own
            }
            answers = ask(folder, wanted)
            for query in own:
                ids = [indexed.ids[url] for url in answers[query.id]["urls"]]
                rankings[query.id] = [id_ for id_ in ids if id_ not in query.exclude][:DEPTH]
        return rankings


def ask(folder: Path, queries: Mapping[str, tuple[str, int]]) -> Mapping[str, Any]:
    """Answers of an export by query id, from texts and numbers of results."""
    rows = [{"id": id_, "text": text, "topK": top_k} for id_, (text, top_k) in queries.items()]
    with TemporaryDirectory() as work:
        source, target = Path(work) / "queries.json", Path(work) / "answers.json"
        source.write_text(json.dumps({"folder": str(folder), "queries": rows}))
        subprocess.run(["node", ASK, source, target], check=True)
        answers: Mapping[str, Any] = json.loads(target.read_text())
    return answers
