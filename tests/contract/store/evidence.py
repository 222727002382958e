"""Evidence is the share of a query that one page contains."""

import pytest

from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import fill, record


class EvidenceContract:
    def test_evidence_is_what_one_page_says_of_a_query(self, store: VectorStore) -> None:
        reader = fill(
            store,
            [record("a", "/a", "Installing the controller. Then bind it to a router."), record("b", "/b", "Lemur x")],
        )
        for typed, share, count, rarest_share in (
            ("install controller ", 1.0, 2, 1.0),
            ("the installation ", 1.0, 1, 1.0),
            ("contro", 1.0, 1, 1.0),  # begins a word
            ("co", 0.0, 0, 0.0),
            ("contrller ", 1.0, 1, 0.0),  # a typo
            ("bnid ", 0.0, 0, 0.0),  # too short for one
            ("contwoller ", 1.0, 1, 0.0),
            ("rouxer ", 0.0, 0, 0.0),  # a short word that is near one by chance
            ("bind rouxer ", 1.0, 2, 0.5),  # but not beside a word that is there
            ("bindController ", 1.0, 1, 1.0),  # by its parts
            ("bindXyzzyController ", 2 / 3, 1, 1.0),  # of which one is not there
            ("xyzXyzzyAbc ", 0.0, 0, 0.0),  # none
            ("zebra ", 0.0, 0, 0.0),
            ("?!", 0.0, 0, 0.0),
            ("日本", 0.0, 0, 0.0),
            ("bind versus install ", 1.0, 2, 1.0),  # a word that compares is not asked for
            ("versus ", 0.0, 0, 0.0),
            ("x ", 1.0, 1, 1.0),
            ("x;fjlk x;; ", 0.0, 0, 0.0),  # a letter says nothing beside words
        ):
            evidence = reader.words.evidence(typed)
            assert (typed, evidence.share, evidence.count, evidence.indexed_share) == (
                typed,
                pytest.approx(share),
                count,
                rarest_share,
            )

    def test_evidence_must_stand_on_one_page(self, store: VectorStore) -> None:
        reader = fill(store, [record("a", "/a", "alpha"), record("b", "/b", "beta"), record("c", "/c", "alpha")])
        evidence = reader.words.evidence("alpha beta ")
        assert evidence.count == 1
        assert 0.5 < evidence.share < 1.0  # the rarer of the two
        assert evidence.indexed_share == 1.0  # wherever
