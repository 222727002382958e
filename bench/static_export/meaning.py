"""`python -m bench.static_export.meaning COLLECTIONS --export FOLDER`: gain and bytes of vectors in a browser.

The table of the built-in model is cut to its first dimensions and to few bits per number, and so are the vectors of
chunks. There are two ways to use them. "all vectors" ranks as the server does; a browser loads the vectors of all
chunks. "best 8" reorders the best eight pages of an export by their nearest chunk; a browser loads the vectors of those
pages and of the words of the query. Words that the site does not use have no vector there.
"""

import argparse
import gzip
import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from bench.relevance.collection import Collection, load_named, names_of
from bench.relevance.metrics import Ranking, evaluate
from bench.relevance.product import Indexes, Product
from bench.static_export.ranker import ask, export_of
from searchsocket.models.embedders.base import TextKind
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.text.words import parse_query, spellings
from searchsocket.types import Vectors

SIZES = ((256, 8), (128, 4), (64, 4), (32, 4))  # dimensions, bits
BEST = 8
SHARE = 1.0  # of the cosine beside the score of words
_WIDEST = 2.5  # standard deviations; greater numbers are cut off

Numbers = NDArray[np.float32]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", type=Path)
    parser.add_argument("--export", type=Path, action="append", default=[], help="another export, for its bytes")
    options = parser.parse_args()
    sites = [
        load_named(options.collections, name) for name in names_of(options.collections) if name.startswith("site_")
    ]
    indexes = Indexes(BuiltinEmbedder())
    with TemporaryDirectory() as work:
        folders = [export_of(site, indexes, Path(work)) for site in sites]
        counts = [counts_of(folder) for folder in [*(folder for folder, _ in folders), *options.export]]
        print(f"chunks and words: {counts}")
        for dimensions, bits in SIZES:
            model = CutEmbedder(dimensions, bits)
            server = Product("", Indexes(model))
            ours = [again(site, *folder, model) for site, folder in zip(sites, folders, strict=True)]
            quality = [mean_of(sites, [server(site) for site in sites]), mean_of(sites, ours)]
            size = dimensions * bits / 8
            weights = ", ".join(
                f"{chunks * size / 1e3:.0f} and {words * size / 1e3:.0f} kB" for chunks, words in counts
            )
            print(f"{dimensions} x {bits} bits: all vectors {quality[0]:.4f}, best {BEST} {quality[1]:.4f}; {weights}")


def mean_of(sites: Sequence[Collection], rankings: Sequence[Ranking]) -> float:
    scores = [evaluate(site, ranking)["all"].ndcg10 for site, ranking in zip(sites, rankings, strict=True)]
    return sum(scores) / len(scores)


class CutEmbedder(BuiltinEmbedder):
    """The built-in model with fewer dimensions and bits, for the table and for passages."""

    def __init__(self, dimensions: int, bits: int) -> None:
        super().__init__()
        self._full = self._table[:, :dimensions].astype(np.float32)
        self._bits = bits
        self._table = rounded(self._full, bits)  # type: ignore[assignment]
        self.dimensions = dimensions
        self.model_id += f"-{dimensions}-{bits}"

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        sums = [self._table[self._tokens.ids(text)].sum(axis=0) for text in texts]
        vectors = unit(np.array(sums, np.float32).reshape(len(texts), self.dimensions))
        return unit(rounded(vectors, self._bits)) if kind == "passage" else vectors

    def word(self, word: str) -> Numbers:
        """The vector of a whole word."""
        vector: Numbers = rounded(self._full[self._tokens.ids(word)].sum(axis=0)[None], self._bits)[0]
        return vector


def rounded(values: Numbers, bits: int) -> Numbers:
    """Each row on a scale of its own, in 2**bits steps."""
    half = 2 ** (bits - 1)
    scale = np.maximum(np.sqrt((values**2).mean(axis=1, keepdims=True)) * _WIDEST, 1e-9)
    steps = np.clip(np.floor(values / scale * half), -half, half - 1) + 0.5
    cut: Numbers = (steps / half * scale).astype(np.float32)
    return cut


def unit(values: Numbers) -> Numbers:
    """Rows of length one; a row of zeros becomes one direction."""
    values = np.where(values.any(axis=1, keepdims=True), values, np.float32(1))
    lengths: Numbers = np.linalg.norm(values, axis=1, keepdims=True)
    return values / lengths


def again(site: Collection, folder: Path, ids: Mapping[str, str], model: CutEmbedder) -> Ranking:
    """The ranking of an export with its best pages ordered again by meaning."""
    texts = texts_of(folder)
    words = {word for chunks in texts.values() for text in chunks for word in spellings(text)}
    vectors = {url: model.embed(chunks, "passage") for url, chunks in texts.items()}
    requests = {one.id: {"q": one.text[:MAX_QUERY_CHARS], "topK": BEST + len(one.exclude)} for one in site.queries}
    answers = ask(folder, requests)
    ranking = {}
    for query in site.queries:
        typed = [model.word(word.exact) for word in parse_query(query.text).order if word.exact in words]
        vector = unit(np.sum(typed, axis=0, keepdims=True))[0] if typed else np.zeros(model.dimensions, np.float32)
        scores = {
            one["url"]: one["score"] + SHARE * float((vectors[one["url"]] @ vector).max())
            for one in answers[query.id]["results"]
        }
        best = sorted(scores, key=lambda url: -scores[url])
        ranking[query.id] = [ids[url] for url in best if ids[url] not in query.exclude]
    return ranking


def texts_of(folder: Path) -> dict[str, list[str]]:
    """By page the texts of its chunks, with title and headings."""
    head = head_of(folder)
    chunks = iter([chunk for name in head["texts"]["files"] for chunk in read(folder / name)])
    pages = zip(head["pages"]["url"], head["pages"]["title"], head["pages"]["chunks"], strict=True)
    return {
        url: [f"{title}\n{' > '.join(chunk[5])}\n{chunk[0]}" for chunk in islice(chunks, count)]
        for url, title, count in pages
    }


def counts_of(folder: Path) -> tuple[int, int]:
    """Chunks and words of an export."""
    head = head_of(folder)
    words = [read(folder / name)["words"].count("\n") + 1 for name in head["vocabulary"].values()]
    return len(head["kinds"]), sum(words)


def head_of(folder: Path):  # type: ignore[no-untyped-def]
    return read(folder / json.loads((folder / "searchsocket.json").read_text())["head"])


def read(path: Path):  # type: ignore[no-untyped-def]
    return json.loads(gzip.decompress(path.read_bytes()))


if __name__ == "__main__":
    main()
