"""Many rows with a realistic distribution: the vectors of a folder's paragraphs, each several times with noise."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.remote.recall import DIMENSIONS, Corpus
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.types import Vectors

_NOISE = 0.5  # length of what is added to a unit vector: the copies of one have a cosine of .8 to each other
_MIN_CHARS, _MAX_CHARS = 80, 1_200
_BLOCK_ROWS = 50_000


def corpus(folder: Path, rows: int, queries: int) -> Corpus:
    """Rows and queries, drawn alike; every tenth row has a tag."""
    source = np.random.default_rng(7)
    texts = list(dict.fromkeys(paragraphs(folder)))
    source.shuffle(texts)
    real = BuiltinEmbedder().embed(texts[: rows + queries], "passage")
    assert real.shape[1] == DIMENSIONS, real.shape
    print(f"{len(real):,} real vectors of {folder}", flush=True)
    vectors = np.empty((rows + queries, DIMENSIONS), np.float32)
    for start in range(0, len(vectors), _BLOCK_ROWS):
        block = vectors[start : start + _BLOCK_ROWS]
        block[:] = _near(real[source.integers(len(real), size=len(block))], source)
    return Corpus(vectors[:rows], source.random(rows) < 0.1, vectors[rows:])


def paragraphs(folder: Path) -> Iterator[str]:
    """The paragraphs of a folder's pages, without their tags."""
    for path in sorted(each for each in folder.rglob("*") if each.suffix in (".html", ".md")):
        text = path.read_text("utf-8", "replace")
        text = re.sub(r"(?is)<(script|style|nav|head)\b.*?</\1>", " ", text)
        for part in re.split(r"(?i)\n\s*\n|</?(?:p|li|td|dd|dt|h[1-6]|pre|div|section)\b[^>]*>", text):
            words = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", part)).split())
            if len(words) >= _MIN_CHARS:
                yield words[:_MAX_CHARS]


def _near(vectors: Vectors, source: np.random.Generator) -> Vectors:
    noise = source.standard_normal(vectors.shape, dtype=np.float32)
    noise *= _NOISE / np.sqrt(vectors.shape[1])
    noise += vectors
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    return noise
