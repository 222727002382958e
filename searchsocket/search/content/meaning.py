"""One vector for all concepts of a query: the middle of theirs, drawn to the passages that a plain search finds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import EmbedderUnavailable
from searchsocket.models.embedders.queries import NoVector
from searchsocket.search.content.folder import ContentFolder
from searchsocket.search.find import find
from searchsocket.search.ranking.fusion import fuse
from searchsocket.search.ranking.shares import shares_of
from searchsocket.types import Vector

_CANDIDATES = 100  # of each list; by which their scores are scaled
_PASSAGES = 10  # passages
_PASSAGE_POWER = 6.0  # of their scores: with less the later ones draw it away from what is asked
_PASSAGE_SHARE = 3.0  # beside the concepts themselves
_LEAST_LENGTH = 1e-6


def concept_vector(folder: ContentFolder, concepts: Sequence[str], terms: Sequence[str] = ()) -> Vector | None:
    """One vector of unit length for all concepts, or None where there are none.

    It lies between the middle of the concepts' own vectors and, counting three times, that of the first ten passages
    that are found by meaning and words together, each by a high power of its score: a short concept is otherwise
    nearest to headings that stand alone. This is Rocchio's feedback, of passages that are taken for relevant unseen
    (Salton and Buckley, 1990), as likely as they score (Lavrenko and Croft, 2001); how much each way finds is measured
    by `bench.content.precision` and `.recall` (docs/notes/quality.md).

    Args:
        terms: Exact terms of the same query: words that such a search looks for too.

    Raises:
        EmbedderUnavailable: They cannot be embedded now.
        VectorBackendUnavailable: An outage, which is never "no results".
    """
    if not concepts:
        return None
    own = middle_of_concepts(folder, concepts)
    passages, weights = _best_passages(folder, own, " ".join((*concepts, *terms)))
    if not passages:
        return own
    around = _unit(weights @ np.asarray(folder.reader.vectors.vectors_of(passages), np.float64))
    drawn = own if around is None else _unit(np.asarray(own, np.float64) + _PASSAGE_SHARE * around)
    return own if drawn is None else drawn


def middle_of_concepts(folder: ContentFolder, concepts: Sequence[str]) -> Vector:
    """The middle of the vectors of at least one concept; of opposites, which have none, the first.

    Raises:
        EmbedderUnavailable: They cannot be embedded now.
    """
    vectors: list[Vector] = []
    for concept in concepts:
        vector = folder.vector(concept)
        if isinstance(vector, NoVector):
            raise EmbedderUnavailable("the concepts cannot be embedded now; try again, or send only exact_terms")
        vectors.append(vector)
    middle = _unit(np.sum(vectors, axis=0, dtype=np.float64)) if len(vectors) > 1 else None
    return vectors[0] if middle is None else middle


def _best_passages(folder: ContentFolder, vector: Vector, text: str) -> tuple[list[str], NDArray[np.float64]]:
    """The ids of the best passages of a plain search, of equals the first by id, and how much each counts."""
    candidates = find(folder.reader, vector, text, top_k=_CANDIDATES, where=folder.where_said)
    if not candidates.ids:
        return [], np.zeros(0)
    shares = shares_of(text, candidates.facts.url, is_read=folder.is_read())
    fused = fuse(candidates.cosine, candidates.bm25, candidates.page_bm25, shares).fused * candidates.facts.weight
    best = np.lexsort((np.array(candidates.ids), -fused))[:_PASSAGES]
    return [candidates.ids[at] for at in best.tolist()], np.asarray(fused[best], np.float64) ** _PASSAGE_POWER


def _unit(vector: NDArray[np.float64]) -> Vector | None:
    length = float(np.linalg.norm(vector))
    return None if length < _LEAST_LENGTH else np.asarray(vector / length, np.float32)
