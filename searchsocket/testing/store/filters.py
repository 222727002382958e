"""A query returns the nearest records in one order; a filter applies to every list, before the list is cut."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from searchsocket.errors import BadVectors, InvalidRequest
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import (
    DIMENSIONS,
    EAST,
    INFO,
    MAIN,
    NORTH,
    PREFIX_PAGES,
    everything,
    fill,
    ids,
    random_units,
    record,
    unit,
)
from searchsocket.types import MATCH_ALL, ChunkKind, Filter, Hit
from searchsocket.web.urls.paths import normalise_prefix, under_prefix

HOSTILE = ["%", "_", "a%", "'", '"', "' OR 1=1 --", '") or true', "\\", "*", "a,b", "[a]", "{", "é", "日本", "x" * 300]
KINDS: tuple[tuple[ChunkKind, ...], ...] = ((), ("section",), ("block",), ("section", "block"))
# One store serves all examples, and every store runs them.
SUPPRESSED = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow]


def some(*texts: str) -> st.SearchStrategy[tuple[str, ...]]:
    """At most two of these texts."""
    return st.lists(st.sampled_from(texts), max_size=2).map(tuple)


class FiltersContract:
    """A filter applies to every list, before the list is cut."""

    def test_a_prefix_means_whole_segments(self, store: VectorStore) -> None:
        """`/docs` matches `/docs` and `/docs/a`, never `/docs-old`, in any spelling (failures 33 and 34)."""
        reader = fill(store, [record(url, url) for url in PREFIX_PAGES])
        for prefix in ("/docs", "/docs/", "docs", "//docs", "/docs/./"):
            assert self._matching(reader, Filter(prefix)) == {"/docs", "/docs/a", "/docs/a/b"}

    def test_the_root_prefix_holds_everything(self, store: VectorStore) -> None:
        reader = fill(store, [record(url, url) for url in PREFIX_PAGES])
        for prefix in ("", "/"):
            assert self._matching(reader, Filter(prefix)) == set(PREFIX_PAGES)

    def test_a_filter_is_applied_before_the_cut(self, store: VectorStore) -> None:
        """The only match is found although a thousand others score higher (spec 19)."""
        records = [record(f"{n:04}", f"/blog/{n}", "zebra zebra zebra") for n in range(1000)]
        records += [record("deep", "/a/b/c/d/e/f/g/h/i/j/k/l", "zebra and a lot more words", tags=("t",))]
        reader = fill(store, records, np.stack([*[EAST] * 1000, NORTH]))
        for where in (Filter("/a/b/c/d/e/f/g/h/i/j"), Filter(tags=("t",)), Filter("/a", ("t",))):
            assert ids(reader.vectors.nearest(EAST, top_k=1, where=where)) == ["deep"]
            assert ids(reader.words.search("zebra", top_k=1, where=where)) == ["deep"]

    @pytest.mark.parametrize(
        "directories", [("/docs", "/guide/a"), ("docs/", "/guide/a/"), ("/guide/a", "/docs", "/docs")]
    )
    def test_of_several_directories_a_page_must_be_in_one(
        self, store: VectorStore, directories: tuple[str, ...]
    ) -> None:
        """The same directory of every version is one filter, applied before the cut like a prefix."""
        urls = ["/docs", "/docs/a", "/docs-old", "/guide", "/guide/a", "/guide/a/b", "/other"]
        reader = fill(store, [record(url, url) for url in urls])
        where, expected = Filter(directories=directories), {"/docs", "/docs/a", "/guide/a", "/guide/a/b"}
        assert everything(reader, where) == expected
        assert set(ids(reader.words.search("text", top_k=99, where=where))) == expected
        assert set(ids(reader.words.search_pages("text", top_k=99, where=where))) == expected
        assert everything(reader, Filter("/docs", directories=directories)) == {"/docs", "/docs/a"}
        assert everything(reader, Filter(directories=("/", "/docs"))) == set(urls)
        assert everything(reader, Filter(directories=("/nowhere",))) == set()

    def test_all_tags_must_be_there(self, store: VectorStore) -> None:
        """Tags are joined by AND (failure 37)."""
        tags = {"a": ("x",), "b": ("x", "y"), "c": ("y", "x", "z", "x"), "d": ()}
        reader = fill(store, [record(name, tags=given_tags) for name, given_tags in tags.items()])
        assert everything(reader, Filter(tags=("x",))) == {"a", "b", "c"}
        assert everything(reader, Filter(tags=("x", "y", "x"))) == {"b", "c"}
        assert everything(reader, Filter(tags=("X",))) == everything(reader, Filter(tags=("nope",))) == set()
        assert set(ids(reader.words.search("text", top_k=9, where=Filter(tags=("y", "x"))))) == {"b", "c"}

    def test_a_language_holds_those_of_its_regions(self, store: VectorStore) -> None:
        """`pt` finds `pt-BR`, and never the other way round; of several, one must be that of the page."""
        spoken = {"a": "pt", "b": "pt-BR", "c": "PT-pt", "d": "", "e": "p", "f": "ptx", "g": "de"}
        reader = fill(store, [record(name, f"/{name}", language=language) for name, language in spoken.items()])
        for languages, expected in {
            ("pt",): {"a", "b", "c"},
            ("pt-br",): {"b"},
            ("pt_PT", "de"): {"c", "g"},
            ("fr",): set(),
        }.items():
            assert self._matching(reader, Filter(languages=languages)) == expected

    def test_a_kind_is_that_of_the_chunk(self, store: VectorStore) -> None:
        records = [
            record("s", kind="summary"),
            record("a", ordinal=1),
            record("b", "/b"),
            record("x", "/b", weight=0.0),
        ]
        reader = fill(store, records)
        assert self._matching(reader, Filter(kinds=("summary",))) == {"s"}
        assert self._matching(reader, Filter(kinds=("section",))) == {"a", "b"}
        assert self._matching(reader, Filter(kinds=("section", "summary"))) == {"s", "a", "b"}
        assert self._matching(reader, Filter("/b", kinds=("summary",))) == set()
        pages = [
            ids(reader.words.search_pages("text", top_k=9, where=Filter(kinds=(kind,))))
            for kind in ("section", "block")
        ]
        assert (set(pages[0]), pages[1]) == ({"/page", "/b"}, [])

    def test_a_facet_is_met_by_any_of_its_values(self, store: VectorStore) -> None:
        """Several facets are joined by AND, the values of one by OR; a value is the whole value."""
        stated = {
            "a": ("level=1", "version=3"),
            "b": ("level=2", "version=3"),
            "c": ("version=4",),
            "d": ("version=33", "other=version=3"),
            "e": (),
            "f": ("topics=a", "topics=b", "version="),
        }
        reader = fill(store, [record(name, f"/{name}", facets=facets) for name, facets in stated.items()])
        for facets, expected in {
            (("version=3",),): {"a", "b"},
            (("version=3", "version=4"),): {"a", "b", "c"},
            (("version=3", "version=4"), ("level=2",)): {"b"},
            (("topics=b",),): {"f"},
            (("version=5",),): set(),
            (("unheard=of",),): set(),
        }.items():
            where = Filter(facets=facets)
            assert self._matching(reader, where) == expected
            pages = ids(reader.words.search_pages("text", top_k=9, where=where))
            assert set(pages) == {f"/{name}" for name in expected}
        assert self._matching(reader, Filter("/b", (), ("en",), ("section",), (("version=3",),))) == {"b"}
        assert reader.catalogue.facets(["f", "a"]) == [stated["f"], stated["a"]]
        assert reader.catalogue.languages_of(["f", "a"]) == ["en", "en"]
        assert {*reader.catalogue.facet_labels()} == {label for labels in stated.values() for label in labels}
        assert reader.catalogue.facet_names() == {"level", "version", "other", "topics"}
        assert reader.catalogue.languages() == {"en"}

    def test_facets_of_a_page_that_changes_are_the_new_ones(self, store: VectorStore) -> None:
        fill(store, [record("a", "/a", facets=("version=3",)), record("b", "/b", facets=("version=3",))])
        reader = fill(store, [record("a", "/a", facets=("version=4",))])
        assert self._matching(reader, Filter(facets=(("version=3",),))) == {"b"}
        assert self._matching(reader, Filter(facets=(("version=4",),))) == {"a"}

    def _matching(self, reader: IndexReader, where: Filter) -> set[str]:
        """Ids that vectors find; words must find the same."""
        matching = everything(reader, where)
        assert set(ids(reader.words.search("text", top_k=99, where=where))) == matching
        return matching

    def test_hostile_filters_are_only_text(self, store: VectorStore) -> None:
        """Quotes, `%`, `_` and the like mean themselves (failure 35)."""
        records = [record(f"t{n}", f"/{n}", tags=(tag,)) for n, tag in enumerate(HOSTILE)]
        records += [record("p1", "/a_b/x"), record("p2", "/axb/x"), record("p3", "/a'b"), record("p4", "/a*b/x")]
        reader = fill(store, records)
        facets = [record(f"f{n}", f"/f/{n}", facets=(f"odd={text}",)) for n, text in enumerate(HOSTILE)]
        store.upsert(facets, np.tile(EAST, (len(facets), 1)), MAIN)
        store.publish(MAIN, INFO)
        reader = store.reader(MAIN)
        for n, tag in enumerate(HOSTILE):
            assert self._matching(reader, Filter(facets=((f"odd={tag}",),))) == {f"f{n}"}
            assert everything(reader, Filter(tags=(tag,))) == {f"t{n}"}
            assert ids(reader.words.search("text", top_k=99, where=Filter(tags=(tag,)))) == [f"t{n}"]
        for prefix, expected in {
            "/a_b": {"p1"},
            "/a'b": {"p3"},
            "/a*b": {"p4"},
            "/a%": set(),
            "/' OR 1=1 --": set(),
        }.items():
            assert everything(reader, Filter(prefix)) == expected
            assert set(ids(reader.words.search("text", top_k=99, where=Filter(prefix)))) == expected

    @settings(max_examples=60, deadline=None, suppress_health_check=SUPPRESSED)
    @given(data=st.data())
    def test_a_narrower_filter_never_loses_a_true_match(self, store: VectorStore, data: st.DataObject) -> None:
        """A filtered answer is the unfiltered one without what does not match: same order, same scores (spec 19)."""
        reader = self._population(store)
        segments = st.sampled_from(["docs", "docs-old", "a", "b", "a_b", "%"])
        prefix = data.draw(st.lists(segments, max_size=3).map(lambda parts: "/" + "/".join(parts)))
        tags, languages = data.draw(st.tuples(some("x", "y", "z"), some("en", "de", "de-AT")))
        kinds = data.draw(st.sampled_from(KINDS))
        where = Filter(prefix, tags, languages, kinds)
        vector = random_units(20, seed=99)[data.draw(st.integers(0, 19))]
        top_k = data.draw(st.integers(1, 40))

        def matches(hit: Hit) -> bool:
            (record,) = reader.catalogue.records([hit.id])
            spoken = {record.page.language, record.page.language.partition("-")[0]}
            return (
                under_prefix(record.page.url, normalise_prefix(prefix))
                and set(tags) <= set(record.page.tags)
                and (not languages or not spoken.isdisjoint(languages))
                and (not kinds or record.chunk.kind in kinds)
            )

        full = reader.vectors.nearest(vector, top_k=1000)
        assert reader.vectors.nearest(vector, top_k=top_k, where=where) == [hit for hit in full if matches(hit)][:top_k]
        full = reader.words.search("docs zebra", top_k=1000)
        assert (
            reader.words.search("docs zebra", top_k=top_k, where=where) == [hit for hit in full if matches(hit)][:top_k]
        )

    def _population(self, store: VectorStore) -> IndexReader:
        if store.generation(MAIN) is None:
            rng = np.random.default_rng(5)
            names = ["docs", "docs-old", "a", "b", "a_b", "%25"]
            records = []
            for n in range(300):
                url = "/" + "/".join(rng.choice(names, rng.integers(0, 4)))
                tags = tuple(tag for tag in "xyz" if rng.random() < 0.4)
                text = "zebra " * int(rng.integers(0, 3)) + "docs"
                language = ("en", "de", "de-AT", "")[int(rng.integers(0, 4))]
                kind = ("section", "summary", "block")[int(rng.integers(0, 3))]
                made = record(f"{n * 7919 % 300:03}", url, text, ordinal=n, tags=tags, language=language, kind=kind)
                records.append(made)
            vectors = random_units(300)
            vectors[::10] = vectors[0]  # equal scores
            fill(store, records, vectors)
        return store.reader(MAIN)

    @pytest.mark.parametrize("weight", [0.0, -1.0])
    def test_weight_zero_takes_a_record_out_of_search(self, store: VectorStore, weight: float) -> None:
        reader = fill(
            store, [record("a", "/a", "zebra", tags=("t",), weight=weight), record("b", "/a", "zebra", tags=("t",))]
        )
        for where in (MATCH_ALL, Filter("/a"), Filter(tags=("t",))):
            assert everything(reader, where) == set(ids(reader.words.search("zebra", top_k=9, where=where))) == {"b"}
        assert len(reader.catalogue.page_records("/a")) == 2

    def test_filters_hold_for_pages(self, store: VectorStore) -> None:
        records = [record(url, url) for url in PREFIX_PAGES]
        records += [record("t", "/tagged", tags=("x", "y")), record("hidden", "/hidden", tags=("x", "y"), weight=0.0)]
        reader = fill(store, records)
        assert set(ids(reader.words.search_pages("text", top_k=99, where=Filter("/docs")))) == {
            "/docs",
            "/docs/a",
            "/docs/a/b",
        }
        assert ids(reader.words.search_pages("text", top_k=99, where=Filter(tags=("y", "x")))) == ["/tagged"]
        assert "/hidden" not in ids(reader.words.search_pages("text", top_k=99))


class NearestContract:
    """A query by vector returns the nearest records, in one order."""

    def test_hits_come_by_falling_cosine(self, store: VectorStore) -> None:
        vectors = np.stack([unit(1, 1), unit(1), unit(0, 1), unit(-1)])
        reader = fill(store, [record(name) for name in "abcd"], vectors)
        hits = reader.vectors.nearest(EAST, top_k=4)
        assert ids(hits) == ["b", "a", "c", "d"]
        assert [hit.score for hit in hits] == pytest.approx([1, 0.5**0.5, 0, -1], abs=1e-6)
        assert ids(reader.vectors.nearest(EAST, top_k=2)) == ["b", "a"]
        assert reader.vectors.nearest(EAST, top_k=0) == []

    def test_equal_scores_come_back_in_id_order(self, store: VectorStore) -> None:
        """Results are stable between runs and backends, even if the cut is among equal scores (spec 26.1)."""
        records = [record(f"{n * 37 % 100:03}", f"/{n}") for n in range(100)]
        reader = fill(store, [*records, record("zzz")], np.stack([*[unit(1, 1)] * 100, EAST]))
        assert ids(reader.vectors.nearest(EAST, top_k=4)) == ["zzz", "000", "001", "002"]
        assert ids(reader.vectors.nearest(EAST, top_k=101)) == ["zzz", *(f"{n:03}" for n in range(100))]

    def test_equal_vectors_score_equally_wherever_they_lie(self, store: VectorStore) -> None:
        vectors = random_units(300)
        vectors[7::13] = vectors[0]
        reader = fill(store, [record(f"{n:03}", f"/{'ab'[n % 2]}/{n}") for n in range(300)], vectors)
        for where in (MATCH_ALL, Filter("/a"), Filter("/b")):
            scores = {hit.id: hit.score for hit in reader.vectors.nearest(vectors[3], top_k=300, where=where)}
            assert len({scores[f"{n:03}"] for n in range(7, 300, 13) if f"{n:03}" in scores}) == 1

    def test_similarities_are_the_scores_of_the_query(self, store: VectorStore) -> None:
        vectors = random_units(50)
        reader = fill(store, [record(f"{n:02}") for n in range(50)], vectors)
        hits = reader.vectors.nearest(vectors[5], top_k=50)
        assert len(hits) == 50
        assert reader.vectors.similarities(vectors[5], ids(hits)) == pytest.approx(
            [hit.score for hit in hits], abs=1e-6
        )
        assert reader.vectors.similarities(vectors[5], []) == []

    def test_vectors_come_back_as_they_were_stored(self, store: VectorStore) -> None:
        vectors = random_units(20)
        reader = fill(store, [record(f"{n:02}") for n in range(20)], vectors)
        assert np.array_equal(reader.vectors.vectors_of(["07", "03", "07"]), vectors[[7, 3, 7]])
        assert reader.vectors.vectors_of([]).shape == (0, DIMENSIONS)
        with pytest.raises(InvalidRequest):
            reader.vectors.vectors_of(["nothing"])

    def test_a_bad_query_vector_is_refused(self, store: VectorStore) -> None:
        """An empty or zero query vector is an error, not an empty answer (failure 44)."""
        reader = fill(store, [record("a")])
        for bad in (np.zeros(DIMENSIONS), np.full(DIMENSIONS, np.nan), np.ones(3), np.empty(0)):
            with pytest.raises(BadVectors):
                reader.vectors.nearest(bad.astype(np.float32), top_k=1)
