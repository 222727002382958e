"""One vector for all concepts of a query: their mean, moved towards the best passages of a plain search."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import EmbedderUnavailable
from searchsocket.models.embedders.queries import NoVector
from searchsocket.search.candidates import find_candidates
from searchsocket.search.content.folder import ContentFolder
from searchsocket.search.ranking.fusion import fuse
from searchsocket.search.ranking.shares import shares_of
from searchsocket.types import Vector

_CANDIDATES = 100  # of each list; scores are scaled over them
_PASSAGES = 10
_PASSAGE_POWER = 6.0  # of their scores; with less, the later passages move the vector away from the query
_PASSAGE_SHARE = 3.0  # weight of the passages; the concepts have 1
_LEAST_LENGTH = 1e-6


def concept_vector(folder: ContentFolder, concepts: Sequence[str], terms: Sequence[str] = ()) -> Vector | None:
    """Return one vector of unit length for all concepts, or None if there are none.

    It is the mean of the concepts' vectors plus three times the mean of the ten best passages of a plain search. Each
    passage is weighted by a high power of its score. Without them, a short concept is nearest to bare headings.

    This is Rocchio's feedback with passages that are assumed to be relevant (Salton and Buckley, 1990), weighted by
    their scores (Lavrenko and Croft, 2001). `bench.content.precision` and `.recall` measure it (docs/notes/quality.md).

    Args:
        terms: Exact terms of the same query, also used by the plain search.

    Raises:
        EmbedderUnavailable: The concepts cannot be embedded now.
        VectorBackendUnavailable: The backend could not be reached; an outage is never reported as "no results".
    """
    if not concepts:
        return None
    own = middle_of_concepts(folder, concepts)
    passages, weights = _best_passages(folder, own, " ".join((*concepts, *terms)))
    if not passages:
        return own
    feedback = _unit(weights @ np.asarray(folder.reader.vectors.vectors_of(passages), np.float64))
    moved = own if feedback is None else _unit(np.asarray(own, np.float64) + _PASSAGE_SHARE * feedback)
    return own if moved is None else moved


def middle_of_concepts(folder: ContentFolder, concepts: Sequence[str]) -> Vector:
    """Return the mean of the vectors of at least one concept; the first vector if opposites cancel out.

    Raises:
        EmbedderUnavailable: The concepts cannot be embedded now.
    """
    vectors: list[Vector] = []
    for concept in concepts:
        vector = folder.vector(concept)
        if isinstance(vector, NoVector):
            raise EmbedderUnavailable("the concepts cannot be embedded now; try again, or send only exact_terms")
        vectors.append(vector)
    mean = _unit(np.sum(vectors, axis=0, dtype=np.float64)) if len(vectors) > 1 else None
    return vectors[0] if mean is None else mean


def _best_passages(folder: ContentFolder, vector: Vector, text: str) -> tuple[list[str], NDArray[np.float64]]:
    """Return the ids of the best passages of a plain search, equal scores by rising id, and their weights."""
    candidates = find_candidates(folder.reader, vector, text, top_k=_CANDIDATES, where=folder.where_said)
    if not candidates.ids:
        return [], np.zeros(0)
    shares = shares_of(text, candidates.facts.url, is_read=folder.is_read())
    fused = fuse(candidates.cosine, candidates.bm25, candidates.page_bm25, shares).fused * candidates.facts.weight
    best = np.lexsort((np.array(candidates.ids), -fused))[:_PASSAGES]
    return [candidates.ids[at] for at in best.tolist()], np.asarray(fused[best], np.float64) ** _PASSAGE_POWER


def _unit(vector: NDArray[np.float64]) -> Vector | None:
    length = float(np.linalg.norm(vector))
    return None if length < _LEAST_LENGTH else np.asarray(vector / length, np.float32)
