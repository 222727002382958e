"""One vector for all concepts of a query: the middle of theirs, drawn to the passages that a plain search finds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from searchsocket.embedders.queries import NoVector
from searchsocket.errors import EmbedderUnavailable
from searchsocket.markdown.links import letters_said
from searchsocket.search.content.corpus import Corpus
from searchsocket.search.find import find
from searchsocket.search.ranking.fusion import fuse
from searchsocket.search.ranking.shares import shares_of
from searchsocket.types import Vector

_CANDIDATES = 50  # of each list
_LOOKED_AT = 15  # of what is found first
_FOUND = 5  # of them, that say enough
_ENOUGH = 300  # letters and digits that are not of headings or links
_FOUND_SHARE = 3.0  # beside the concepts themselves
_EMPTY_SHARE = 0.6  # taken away again, of those that say less
_LEAST_LENGTH = 1e-6


def concept_vector(corpus: Corpus, concepts: Sequence[str], terms: Sequence[str] = ()) -> Vector | None:
    """One vector of unit length for all concepts, or None where there are none.

    It is drawn from the middle of the concepts' own vectors towards that of the first passages that are found by
    meaning and words together and say enough, three times as much, and away from those found that say little: a
    short concept is otherwise nearest to headings that stand alone, to constructors and to references. This is
    Rocchio's feedback, of passages that are judged unseen (Salton and Buckley, 1990); how much it finds is measured by
    `bench.content.precision` and `.recall` (docs/quality.md).

    Args:
        terms: Exact terms of the same query: words that such a search looks for too.

    Raises:
        EmbedderUnavailable: They cannot be embedded now.
        VectorBackendUnavailable: An outage, which is never "no results".
    """
    if not concepts:
        return None
    own = middle_of_concepts(corpus, concepts)
    full, empty = _found_first(corpus, own, " ".join((*concepts, *terms)))
    both = np.asarray(own, np.float64)
    for share, found in ((_FOUND_SHARE, full), (-_EMPTY_SHARE, empty)):
        around = (
            _unit(np.sum(corpus.reader.vectors.vectors_of(found), axis=0, dtype=np.float64)) if full and found else None
        )
        both = both if around is None else both + share * around
    drawn = _unit(both)
    return own if drawn is None else drawn


def middle_of_concepts(corpus: Corpus, concepts: Sequence[str]) -> Vector:
    """The middle of the vectors of at least one concept; of opposites, which have none, the first.

    Raises:
        EmbedderUnavailable: They cannot be embedded now.
    """
    vectors: list[Vector] = []
    for concept in concepts:
        vector = corpus.vector(concept)
        if isinstance(vector, NoVector):
            raise EmbedderUnavailable("the concepts cannot be embedded now; try again, or ask for exact_terms alone")
        vectors.append(vector)
    middle = _unit(np.sum(vectors, axis=0, dtype=np.float64)) if len(vectors) > 1 else None
    return vectors[0] if middle is None else middle


def _found_first(corpus: Corpus, vector: Vector, text: str) -> tuple[list[str], list[str]]:
    """The ids of the best passages of a plain search, of equals the first by id: those that say enough, and others."""
    found = find(corpus.reader, vector, text, top_k=_CANDIDATES, where=corpus.where_said)
    if not found.ids:
        return [], []
    fused = fuse(found.cosine, found.bm25, found.page_bm25, shares_of(text)).fused * found.facts.weight
    best = np.lexsort((np.array(found.ids), -fused))[:_LOOKED_AT]
    ids = [found.ids[at] for at in best.tolist()]
    texts = corpus.reader.catalogue.texts(ids)
    full = [one for one, said in zip(ids, texts, strict=True) if letters_said(said) >= _ENOUGH]
    known = frozenset(full)
    return full[:_FOUND], [one for one in ids if one not in known]


def _unit(vector: NDArray[np.float64]) -> Vector | None:
    length = float(np.linalg.norm(vector))
    return None if length < _LEAST_LENGTH else np.asarray(vector / length, np.float32)
