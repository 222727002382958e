"""Find the candidates of a query: join the lists by meaning, by words and by the words of whole pages."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext

import numpy as np

from searchsocket.curation.rules import PageRule
from searchsocket.models.embedders.queries import NoVector, QueryVectors, vector_for
from searchsocket.stores.base.index_reader import Candidates, IndexReader, Watch
from searchsocket.text.words import has_conditions
from searchsocket.types import MATCH_ALL, Filter, Hit, Scores, Vector

_NEAREST = 10  # chunks
_NEAREST_OF_HIDDEN = 200  # if the owner hides some of them


def find_candidates(
    reader: IndexReader,
    vector: Vector | None,
    text: str,
    *,
    top_k: int,
    where: Filter = MATCH_ALL,
    watch: Watch = nullcontext,
    conditions: str = "",
) -> Candidates:
    """Return the candidates of a query, by the store's own fast path if it has one.

    Args:
        vector: None: search by words only; all cosines are 0, and the vectors are not read.
        conditions: The query as typed, of which every list meets the conditions, see `WordSnapshot.satisfying`.
    """
    if vector is None or reader.join is None:
        candidates = ListJoin(reader)(vector, text, top_k=top_k, where=where, watch=watch)
    else:
        candidates = reader.join(vector, text, top_k=top_k, where=where, watch=watch)
    if not has_conditions(conditions):
        return candidates
    satisfies = reader.words.satisfying(conditions, candidates.ids)
    return selected(reader, candidates, [at for at, is_met in enumerate(satisfies) if is_met])


def selected(
    reader: IndexReader,
    candidates: Candidates,
    positions: Sequence[int],
    added: Sequence[str] = (),
    vector: Vector | None = None,
) -> Candidates:
    """Return some of the candidates, and added records that are not among them.

    Args:
        vector: Of the query; None: the cosines of added records are 0.
    """
    ids = [*(candidates.ids[at] for at in positions), *added]
    cosines = reader.vectors.similarities(vector, added) if added and vector is not None else [0.0] * len(added)
    zeros = np.zeros(len(added))

    def column(values: Scores, added_values: Scores = zeros) -> Scores:
        return np.concatenate([values[positions], added_values])

    return Candidates(
        ids=ids,
        facts=reader.catalogue.facts(ids),
        cosine=column(candidates.cosine, np.array(cosines, np.float64)),
        bm25=column(candidates.bm25),
        page_bm25=column(candidates.page_bm25),
        titled=column(candidates.titled),
        headed=column(candidates.headed),
        best_cosine=candidates.best_cosine,
    )


class ListJoin:
    """Joins the candidate lists of any reader by id, for stores without a fast path."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader

    def __call__(self, vector: Vector | None, text: str, *, top_k: int, where: Filter, watch: Watch) -> Candidates:
        """Return the nearest records and the best by words, at most `top_k` of each, with the scores of their pages.

        A page whose title the query is or begins is a candidate in any case, by its first record.
        """
        reader = self._reader
        limits = reader.vectors.limits
        nearest_k = top_k if limits.max_top_k is None else min(top_k, limits.max_top_k)
        with watch("vector"):
            near = [] if vector is None else reader.vectors.nearest(vector, top_k=nearest_k, where=where)
        with watch("keyword"):
            by_words = reader.words.search(text, top_k=top_k, where=where)
            pages = reader.words.search_pages(text, top_k=top_k, where=where)
            by_name = reader.words.named(text, top_k=top_k, where=where)
        near_ids = {hit.id for hit in near}
        far_ids = [hit.id for hit in by_words if hit.id not in near_ids]
        if by_name.pages:
            urls = set(reader.catalogue.facts([*near_ids, *far_ids]).url)
            far_ids += [reader.catalogue.page_records(hit.id)[0].id for hit in by_name.pages if hit.id not in urls]
        with watch("vector"):
            far = [0.0] * len(far_ids) if vector is None else reader.vectors.similarities(vector, far_ids)
            cosines = [hit.score for hit in near] + far
        ids = [*(hit.id for hit in near), *far_ids]
        facts = reader.catalogue.facts(ids)
        return Candidates(
            ids=ids,
            facts=facts,
            cosine=np.array(cosines, np.float64),
            bm25=_column(_scores(by_words), ids),
            page_bm25=_column(_scores(pages), facts.url),
            titled=_column(_scores(by_name.pages), facts.url),
            headed=_column(_scores(by_name.records), ids),
            best_cosine=near[0].score if near else -1.0,
        )


def _scores(hits: Sequence[Hit]) -> Mapping[str, float]:
    return {hit.id: hit.score for hit in hits}


def _column(scores: Mapping[str, float], keys: Sequence[str]) -> Scores:
    """Return the score of each key; 0 for a key without one."""
    return np.array([scores.get(key, 0.0) for key in keys], np.float64)


def nearest_chunks(
    queries: QueryVectors,
    reader: IndexReader,
    query: str,
    *,
    anonymous: bool = False,
    rules: Sequence[PageRule] = (),
) -> Sequence[str]:
    """Return ids of the nearest chunks: the best by words, then by meaning, then by words.

    Args:
        anonymous: The query counts against the daily budget.
        rules: Of the owner, for the query: pages that they hide are left out.
    """
    hides = [rule for rule in rules if rule.effect == "hide"]
    count = _NEAREST if not hides else _NEAREST_OF_HIDDEN
    vector = vector_for(queries, reader.generation, query, anonymous=anonymous)
    by_words = _visible(reader, reader.words.search(query, top_k=count), hides)
    near = [] if isinstance(vector, NoVector) else _visible(reader, reader.vectors.nearest(vector, top_k=count), hides)
    return [*by_words[:1], *near, *by_words[1:]]


def _visible(reader: IndexReader, hits: Sequence[Hit], hides: Sequence[PageRule]) -> list[str]:
    ids = [hit.id for hit in hits]
    urls = reader.catalogue.facts(ids).url if hides else [""] * len(ids)
    return [id_ for id_, url in zip(ids, urls, strict=True) if not any(rule.names(url) for rule in hides)][:_NEAREST]
