"""What every vector store promises. A subclass supplies a fresh, empty `store` fixture for the project `shop`."""

import hashlib
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from searchsocket.errors import (
    BadVectors,
    EmbeddingModelMismatch,
    InvalidRequest,
    InvalidScope,
    NoGenerationBefore,
    ProjectMismatch,
    ScopeNotIndexed,
)
from searchsocket.markdown.chunk_text import chunk_text
from searchsocket.stores.base import IndexReader, PublishInfo, VectorStore, index_digest
from searchsocket.types import MATCH_ALL, Filter, Hit, Record, Scope, Vector, Vectors
from searchsocket.urls.paths import normalise_prefix, sort_key, under_prefix

MANY_SCOPES = 101  # more than the pages of the usual backends hold
MAIN = Scope("shop", "main")
DRAFT = Scope("shop", "main-draft")
DIMENSIONS = 8
INFO = PublishInfo("hash-8", DIMENSIONS, "2026-01-02T03:04:05Z", 12, 0.5, "abc123")
EAST, NORTH, UP = np.eye(DIMENSIONS, dtype=np.float32)[:3]
PREFIX_PAGES = ["/", "/docs", "/docs/a", "/docs/a/b", "/docs-old", "/docs-old/a", "/docsa", "/docs.html", "/blog/docs"]
HOSTILE = ["%", "_", "a%", "'", '"', "' OR 1=1 --", '") or true', "\\", "*", "a,b", "[a]", "{", "é", "日本", "x" * 300]


def record(
    record_id: str, url: str = "/page", text: str = "some text", *, scope: Scope = MAIN, **fields: object
) -> Record:
    """A record with the given id; the rest has values that a test can recognise."""
    made = Record(
        id=record_id,
        record_hash="",
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        project_id=scope.project_id,
        scope=scope.name,
        url=url,
        title="Title",
        section_title="",
        heading_path=(),
        anchor="",
        ref=f"{url}#~0",
        ordinal=0,
        kind="section",
        text=text,
        description="",
        language="en",
        route_file="",
        route_resolution="none",
        depth=1,
        incoming_links=0,
        link_texts=(),
        tags=(),
        weight=1.0,
        modified="",
        model_id=INFO.model_id,
    )
    made = replace(made, **fields)  # type: ignore[arg-type]
    return replace(made, record_hash=hashlib.sha256(repr(made).encode()).hexdigest())


def unit(*values: float) -> Vector:
    """A unit vector in the direction of `values`, padded with zeros."""
    wide = np.zeros(DIMENSIONS, np.float32)
    wide[: len(values)] = values
    return wide / np.linalg.norm(wide).astype(np.float32)


def random_units(count: int, seed: int = 7) -> Vectors:
    """The same directions on every run."""
    wide = np.random.default_rng(seed).standard_normal((count, DIMENSIONS))
    return (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)


def fill(store: VectorStore, records: list[Record], vectors: Vectors | None = None, scope: Scope = MAIN) -> IndexReader:
    """Publish records, all pointing east unless told otherwise."""
    store.upsert(records, np.tile(EAST, (len(records), 1)) if vectors is None else vectors, scope)
    store.publish(scope, INFO)
    return store.reader(scope)


def ids(hits: list[Hit]) -> list[str]:
    return [hit.id for hit in hits]


def everything(reader: IndexReader, where: Filter = MATCH_ALL) -> set[str]:
    return set(ids(reader.query(EAST, top_k=10_000, where=where)))


class VectorStoreContract:
    # Records

    def test_a_record_comes_back_as_it_was_stored(self, store: VectorStore) -> None:
        """Every field survives, whatever it holds (spec 12.1)."""
        stored = record(
            "k", "/dócs/日本", "tab\there\n`code` 🎉 \"q\" 'q'", heading_path=("A", "B, C"), tags=("x y", '"', "%"),
            link_texts=("here",), weight=0.5, incoming_links=7, route_resolution="exact", kind="summary", ordinal=3,
        )  # fmt: skip
        reader = fill(store, [stored])
        assert reader.records(["k"]) == [stored]
        assert reader.page_records("/dócs/日本") == [stored]

    def test_records_come_in_the_order_they_were_asked_for(self, store: VectorStore) -> None:
        reader = fill(store, [record(name) for name in "abc"])
        assert [found.id for found in reader.records(["c", "a", "c", "b"])] == ["c", "a", "c", "b"]
        assert reader.records([]) == []

    def test_what_is_shown_is_the_record_and_what_it_says(self, store: VectorStore) -> None:
        """Texts that hold more or less than Markdown, nothing, or what no file can hold."""
        texts = ["# Zebra {#z}\n\nIt *eats* `grass`.\n\n## Young {#young}\n\nFoals", "", "zèbre", "x" * 40_000]
        records = [record(f"k{n}", f"/{n}", text, section_title="Zebra") for n, text in enumerate(texts)]
        records[2] = replace(records[2], text="zèbre \ud800")
        records.append(record("s", "/s", "ignored", kind="summary", description="A site  about\n zebras"))
        reader = fill(store, records)
        asked = ["s", "k0", "k3", "k1", "k2", "k0"]
        shown = reader.shown(asked)
        assert [item.record for item in shown] == reader.records(asked)
        assert [item.said for item in shown] == [chunk_text(item.record) for item in shown]
        assert shown[1].said.text == "It eats grass.\nYoung\nFoals"
        assert reader.texts(asked) == [item.record.text for item in shown]
        assert reader.shown([]) == reader.texts([]) == []

    def test_facts_are_fields_of_the_records(self, store: VectorStore) -> None:
        """What ranking compares is the same by either way, whatever the fields hold, after a change too."""
        pages = [record(f"k{n}", f"/{'é日 x'[n % 4]}/{n // 3}", title=f"T{n % 5}\n", anchor="à" * (n % 3), ordinal=n,
                        depth=n % 7, incoming_links=n * 1000, weight=(0.1, 1.0, 0.0)[n % 3],
                        kind=("section", "summary")[n % 2]) for n in range(50)]  # fmt: skip
        fill(store, pages)
        store.delete_by_ids(["k3", "k18"], MAIN)
        changed = record("k9", "/new", title="Other", incoming_links=10**12, anchor="new", weight=2.5)
        reader = fill(store, [changed, record("z", "/é/0")])
        found = reader.candidates(EAST, "text", top_k=10_000)
        records = reader.records(found.ids)
        assert set(found.ids) == {"z", *(f"k{n}" for n in range(50) if n % 3 != 2 and n not in (3, 18))}
        for name in {field.name for field in fields(found.facts)} - {"order"}:
            assert list(getattr(found.facts, name)) == [getattr(one, name) for one in records]
        keys = [(sort_key(one.url), one.ordinal, one.id) for one in records]
        assert [keys[place] for place in np.argsort(found.facts.order)] == sorted(keys)
        assert len(set(found.facts.order.tolist())) == len(keys)
        assert list(reader.candidates(EAST, "text", top_k=10_000, where=Filter("/nowhere")).facts.url) == []

    def test_page_records_are_those_of_one_page_by_ordinal(self, store: VectorStore) -> None:
        pages = [record(f"k{n}", "/docs", ordinal=n) for n in (10, 2, 0)] + [
            record("x", "/docs/a"),
            record("y", "/doc"),
        ]
        reader = fill(store, pages)
        assert [found.ordinal for found in reader.page_records("/docs")] == [0, 2, 10]
        assert reader.page_records("/nowhere") == []

    def test_the_same_id_replaces(self, store: VectorStore) -> None:
        """An upsert is an upsert: vector, words and filters of the old record are gone (spec 10.5)."""
        fill(store, [record("a", "/old", "zebra", tags=("t",)), record("b")])
        reader = fill(store, [record("a", "/new", "giraffe")], NORTH[np.newaxis])
        assert reader.generation.records == 2
        assert reader.query(NORTH, top_k=1) == [Hit("a", 1.0)]
        assert ids(reader.keyword_query("zebra", top_k=5)) == []
        assert ids(reader.keyword_query("giraffe", top_k=5)) == ["a"]
        assert everything(reader, Filter("/old")) == everything(reader, Filter(tags=("t",))) == set()

    def test_the_last_change_of_a_run_wins(self, store: VectorStore) -> None:
        store.upsert([record("a", text="first")], EAST[np.newaxis], MAIN)
        store.upsert([record("a", text="second"), record("b")], np.stack([NORTH, EAST]), MAIN)
        store.delete_by_ids(["b"], MAIN)
        store.upsert([record("c")], EAST[np.newaxis], MAIN)
        store.delete_by_ids(["c"], MAIN)
        store.upsert([record("c")], UP[np.newaxis], MAIN)
        store.publish(MAIN, INFO)
        reader = store.reader(MAIN)
        assert everything(reader) == {"a", "c"}
        assert reader.records(["a"])[0].text == "second"
        assert reader.similarities(NORTH, ["a", "c"]) == [1.0, 0.0]

    def test_deleted_records_are_gone_everywhere(self, store: VectorStore) -> None:
        fill(store, [record("a", text="zebra", tags=("t",)), record("b", text="zebra", tags=("t",))])
        store.delete_by_ids(["a", "never-seen"], MAIN)
        store.publish(MAIN, INFO)
        reader = store.reader(MAIN)
        assert everything(reader) == everything(reader, Filter(tags=("t",))) == {"b"}
        assert ids(reader.keyword_query("zebra", top_k=5)) == ["b"]
        assert [found.id for found in reader.page_records("/page")] == ["b"]
        assert list(store.fingerprints(MAIN)) == [("b", reader.records(["b"])[0].record_hash)]

    def test_everything_may_be_deleted(self, store: VectorStore) -> None:
        fill(store, [record("a")])
        store.delete_by_ids(["a"], MAIN)
        assert store.publish(MAIN, INFO).records == 0
        reader = store.reader(MAIN)
        assert reader.query(EAST, top_k=5) == reader.keyword_query("text", top_k=5) == []

    @pytest.mark.parametrize("count", [1, 99, 100, 101, 999, 1000, 1001])
    def test_no_record_is_lost_at_the_border_of_a_batch(self, store: VectorStore, count: int) -> None:
        """Backends cap batches at 100, 1,000 ...; our callers need not know (failure 39)."""
        reader = fill(store, [record(f"{n:05}", f"/p/{n}") for n in range(count)], random_units(count))
        assert reader.generation.records == reader.generation.pages == count
        assert len(everything(reader)) == count
        store.delete_by_ids([f"{n:05}" for n in range(1, count)], MAIN)
        store.publish(MAIN, INFO)
        assert everything(store.reader(MAIN)) == {"00000"}

    # Vectors

    def test_hits_come_by_falling_cosine(self, store: VectorStore) -> None:
        vectors = np.stack([unit(1, 1), unit(1), unit(0, 1), unit(-1)])
        reader = fill(store, [record(name) for name in "abcd"], vectors)
        found = reader.query(EAST, top_k=4)
        assert ids(found) == ["b", "a", "c", "d"]
        assert [hit.score for hit in found] == pytest.approx([1, 0.5**0.5, 0, -1], abs=1e-6)
        assert ids(reader.query(EAST, top_k=2)) == ["b", "a"]
        assert reader.query(EAST, top_k=0) == []

    def test_equal_scores_come_back_in_id_order(self, store: VectorStore) -> None:
        """Results are stable between runs and backends, also where the cut goes through equals (spec 26.1)."""
        records = [record(f"{n * 37 % 100:03}", f"/{n}") for n in range(100)]
        reader = fill(store, [*records, record("zzz")], np.stack([*[unit(1, 1)] * 100, EAST]))
        assert ids(reader.query(EAST, top_k=4)) == ["zzz", "000", "001", "002"]
        assert ids(reader.query(EAST, top_k=101)) == ["zzz", *(f"{n:03}" for n in range(100))]

    def test_equal_vectors_score_equally_wherever_they_lie(self, store: VectorStore) -> None:
        vectors = random_units(300)
        vectors[7::13] = vectors[0]
        reader = fill(store, [record(f"{n:03}", f"/{'ab'[n % 2]}/{n}") for n in range(300)], vectors)
        for where in (MATCH_ALL, Filter("/a"), Filter("/b")):
            scores = {hit.id: hit.score for hit in reader.query(vectors[3], top_k=300, where=where)}
            assert len({scores[f"{n:03}"] for n in range(7, 300, 13) if f"{n:03}" in scores}) == 1

    def test_similarities_are_the_scores_of_the_query(self, store: VectorStore) -> None:
        vectors = random_units(50)
        reader = fill(store, [record(f"{n:02}") for n in range(50)], vectors)
        found = reader.query(vectors[5], top_k=50)
        assert reader.similarities(vectors[5], ids(found)) == pytest.approx([hit.score for hit in found], abs=1e-6)
        assert reader.similarities(vectors[5], []) == []

    @pytest.mark.parametrize("where", [MATCH_ALL, Filter("/docs"), Filter("", ("new",)), Filter("/nowhere")])
    @pytest.mark.parametrize("text", ["zebra", "zebra number7", "nothing"])
    def test_candidates_are_the_three_lists_joined(self, store: VectorStore, text: str, where: Filter) -> None:
        words = ["zebra", "giraffe", "zebra zebra number7"]
        records = [
            record(f"k{n}", f"/{'docs' if n % 2 else 'blog'}/{n // 6}", words[n % 3], tags=("new",) if n % 5 else ())
            for n in range(60)
        ]
        reader = fill(store, records, random_units(60))
        vector, watched = random_units(1, 3)[0], list[str]()

        def watch(name: str) -> AbstractContextManager[None]:
            watched.append(name)
            return nullcontext()

        found = reader.candidates(vector, text, top_k=7, where=where, watch=watch)
        near, worded, pages = (
            {hit.id: hit.score for hit in hits}
            for hits in (
                reader.query(vector, top_k=7, where=where),
                reader.keyword_query(text, top_k=7, where=where),
                reader.page_query(text, top_k=7, where=where),
            )
        )
        assert sorted(found.ids) == sorted({*near, *worded})
        urls = [one.url for one in reader.records(found.ids)]
        assert list(found.facts.url) == urls
        assert found.cosine.tolist() == reader.similarities(vector, found.ids)
        assert found.bm25.tolist() == [worded.get(id_, 0.0) for id_ in found.ids]
        assert found.page_bm25.tolist() == [pages.get(url, 0.0) for url in urls]
        assert found.best_cosine == max(near.values(), default=-1.0)
        assert set(watched) == {"vector", "keyword"}

    def test_vectors_come_back_as_they_were_stored(self, store: VectorStore) -> None:
        vectors = random_units(20)
        reader = fill(store, [record(f"{n:02}") for n in range(20)], vectors)
        assert np.array_equal(reader.vectors_of(["07", "03", "07"]), vectors[[7, 3, 7]])
        assert reader.vectors_of([]).shape == (0, DIMENSIONS)
        with pytest.raises(InvalidRequest):
            reader.vectors_of(["nothing"])

    @pytest.mark.parametrize(
        "bad",
        [
            np.zeros((2, DIMENSIONS), np.float32),
            np.full((2, DIMENSIONS), np.nan, np.float32),
            np.full((2, DIMENSIONS), np.inf, np.float32),
            np.full((2, DIMENSIONS), 9.0, np.float32),
            np.full((2, DIMENSIONS), 3e38, np.float32),
            np.eye(DIMENSIONS, dtype=np.float32)[:1],
            np.eye(DIMENSIONS, dtype=np.float32)[:3],
            np.eye(DIMENSIONS, dtype=np.float64)[:2],
            np.ones(2, np.float32),
            np.empty((2, 0), np.float32),
        ],
        ids=["zero", "nan", "infinite", "long", "overflowing", "too-few", "too-many", "float64", "flat", "empty"],
    )
    def test_bad_vectors_are_refused(self, store: VectorStore, bad: Vectors) -> None:
        """What is zero, NaN, short or of another number is never stored, nor is the rest of its batch (spec 11)."""
        with pytest.raises(BadVectors):
            store.upsert([record("a"), record("b")], bad, MAIN)
        assert fill(store, [record("c")]).generation.records == 1

    def test_one_bad_vector_refuses_its_batch(self, store: VectorStore) -> None:
        with pytest.raises(BadVectors):
            store.upsert([record("a"), record("b")], np.stack([EAST, EAST * 0]), MAIN)
        assert everything(fill(store, [record("c")])) == {"c"}

    def test_vectors_of_another_dimension_are_refused(self, store: VectorStore) -> None:
        fill(store, [record("a")])
        store.upsert([record("b")], np.eye(4, dtype=np.float32)[:1], MAIN)
        with pytest.raises(BadVectors):
            store.publish(MAIN, INFO)
        assert everything(store.reader(MAIN)) == {"a"}

    def test_vectors_of_two_dimensions_in_one_run_are_refused(self, store: VectorStore) -> None:
        store.upsert([record("a")], EAST[np.newaxis], MAIN)
        with pytest.raises(BadVectors):
            store.upsert([record("b")], np.eye(4, dtype=np.float32)[:1], MAIN)

    @pytest.mark.parametrize("bad", [np.zeros(DIMENSIONS), np.full(DIMENSIONS, np.nan), np.ones(3), np.empty(0)])
    def test_a_bad_query_vector_is_refused(self, store: VectorStore, bad: Vector) -> None:
        """An empty or zero query vector is an error, not an empty answer (failure 44)."""
        reader = fill(store, [record("a")])
        with pytest.raises(BadVectors):
            reader.query(bad.astype(np.float32), top_k=1)

    # Filters

    @pytest.mark.parametrize("prefix", ["/docs", "/docs/", "docs", "//docs", "/docs/./"])
    def test_a_prefix_means_whole_segments(self, store: VectorStore, prefix: str) -> None:
        """`/docs` holds `/docs` and `/docs/a`, never `/docs-old`, however it is spelled (failures 33 and 34)."""
        reader = fill(store, [record(url, url) for url in PREFIX_PAGES])
        assert everything(reader, Filter(prefix)) == {"/docs", "/docs/a", "/docs/a/b"}
        assert set(ids(reader.keyword_query("text", top_k=99, where=Filter(prefix)))) == everything(
            reader, Filter(prefix)
        )

    @pytest.mark.parametrize("prefix", ["", "/"])
    def test_the_root_prefix_holds_everything(self, store: VectorStore, prefix: str) -> None:
        reader = fill(store, [record(url, url) for url in PREFIX_PAGES])
        assert everything(reader, Filter(prefix)) == set(PREFIX_PAGES)
        assert set(ids(reader.keyword_query("text", top_k=99, where=Filter(prefix)))) == set(PREFIX_PAGES)

    def test_a_filter_is_applied_before_the_cut(self, store: VectorStore) -> None:
        """The only match is found although a thousand others score higher (spec 19)."""
        records = [record(f"{n:04}", f"/blog/{n}", "zebra zebra zebra") for n in range(1000)]
        records += [record("deep", "/a/b/c/d/e/f/g/h/i/j/k/l", "zebra and a lot more words", tags=("t",))]
        reader = fill(store, records, np.stack([*[EAST] * 1000, NORTH]))
        for where in (Filter("/a/b/c/d/e/f/g/h/i/j"), Filter(tags=("t",)), Filter("/a", ("t",))):
            assert ids(reader.query(EAST, top_k=1, where=where)) == ["deep"]
            assert ids(reader.keyword_query("zebra", top_k=1, where=where)) == ["deep"]

    def test_all_tags_must_be_there(self, store: VectorStore) -> None:
        """Tags are joined by AND (failure 37)."""
        tags = {"a": ("x",), "b": ("x", "y"), "c": ("y", "x", "z", "x"), "d": ()}
        reader = fill(store, [record(name, tags=given_tags) for name, given_tags in tags.items()])
        assert everything(reader, Filter(tags=("x",))) == {"a", "b", "c"}
        assert everything(reader, Filter(tags=("x", "y", "x"))) == {"b", "c"}
        assert everything(reader, Filter(tags=("X",))) == everything(reader, Filter(tags=("nope",))) == set()
        assert set(ids(reader.keyword_query("text", top_k=9, where=Filter(tags=("y", "x"))))) == {"b", "c"}

    def test_hostile_filters_are_only_text(self, store: VectorStore) -> None:
        """Quotes, `%`, `_` and the like mean themselves (failure 35)."""
        records = [record(f"t{n}", f"/{n}", tags=(tag,)) for n, tag in enumerate(HOSTILE)]
        records += [record("p1", "/a_b/x"), record("p2", "/axb/x"), record("p3", "/a'b"), record("p4", "/a*b/x")]
        reader = fill(store, records)
        for n, tag in enumerate(HOSTILE):
            assert everything(reader, Filter(tags=(tag,))) == {f"t{n}"}
            assert ids(reader.keyword_query("text", top_k=99, where=Filter(tags=(tag,)))) == [f"t{n}"]
        for prefix, expected in {
            "/a_b": {"p1"},
            "/a'b": {"p3"},
            "/a*b": {"p4"},
            "/a%": set(),
            "/' OR 1=1 --": set(),
        }.items():
            assert everything(reader, Filter(prefix)) == expected
            assert set(ids(reader.keyword_query("text", top_k=99, where=Filter(prefix)))) == expected

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_a_narrower_filter_never_loses_a_true_match(self, store: VectorStore, data: st.DataObject) -> None:
        """A filtered answer is the unfiltered one without what does not match: same order, same scores (spec 19)."""
        reader = self._population(store)
        segments = st.sampled_from(["docs", "docs-old", "a", "b", "a_b", "%"])
        prefix = data.draw(st.lists(segments, max_size=3).map(lambda parts: "/" + "/".join(parts)))
        where = Filter(prefix, tuple(data.draw(st.lists(st.sampled_from("xyz"), max_size=2))))
        vector = random_units(20, seed=99)[data.draw(st.integers(0, 19))]
        top_k = data.draw(st.integers(1, 40))

        def matches(hit: Hit) -> bool:
            (found,) = reader.records([hit.id])
            return under_prefix(found.url, normalise_prefix(prefix)) and set(where.tags) <= set(found.tags)

        full = reader.query(vector, top_k=1000)
        assert reader.query(vector, top_k=top_k, where=where) == [hit for hit in full if matches(hit)][:top_k]
        full = reader.keyword_query("docs zebra", top_k=1000)
        assert (
            reader.keyword_query("docs zebra", top_k=top_k, where=where)
            == [hit for hit in full if matches(hit)][:top_k]
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
                records.append(record(f"{n * 7919 % 300:03}", url, text, ordinal=n, tags=tags))
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
            assert everything(reader, where) == set(ids(reader.keyword_query("zebra", top_k=9, where=where))) == {"b"}
        assert len(reader.page_records("/a")) == 2

    # Words

    def test_words_find_what_holds_them_best_first(self, store: VectorStore) -> None:
        reader = fill(
            store,
            [
                record("a", "/a", "Loading data happens before a page renders."),
                record("b", "/b", "Nothing to see here."),
                record("c", "/c", "Some page about other things", title="Load data"),
            ],
        )
        found = reader.keyword_query("load data", top_k=9)
        assert ids(found) == ["c", "a"]
        assert found[0].score > found[1].score > 0
        assert ids(reader.keyword_query("load data", top_k=1)) == ["c"]

    def test_equal_words_come_back_in_id_order(self, store: VectorStore) -> None:
        reader = fill(store, [record(f"{n * 37 % 200:03}", f"/{n:03}", "the same words") for n in range(200)])
        assert ids(reader.keyword_query("same words", top_k=5)) == ["000", "001", "002", "003", "004"]
        assert ids(reader.keyword_query("same words", top_k=200)) == [f"{n:03}" for n in range(200)]

    @pytest.mark.parametrize(
        "text", ["", "   ", "?!,.", '"', '""', "\x00", "qqqqzzzz", "(", "AND OR NOT", "a:b", "\ud800"]
    )
    def test_a_query_without_known_words_finds_nothing(self, store: VectorStore, text: str) -> None:
        reader = fill(store, [record("k", text="plain prose")])
        assert reader.keyword_query(text, top_k=5) == []

    # Pages

    def test_a_page_holds_the_words_of_all_its_records(self, store: VectorStore) -> None:
        """Words that stand far apart on one page bring it up before a page that holds one of them."""
        reader = fill(
            store,
            [
                record("a", "/a", "a zebra crossing is where people on foot cross a street"),
                record("b0", "/b", "the first part is about a giraffe", ordinal=0),
                record("b1", "/b", "and the second one about a zebra", ordinal=1),
                record("c", "/c", "neither of them", title="Okapi"),
            ],
        )
        found = reader.page_query("zebra giraffe", top_k=9)
        assert ids(found) == ["/b", "/a"]
        assert found[0].score > found[1].score > 0
        assert ids(reader.page_query("zebra giraffe", top_k=1)) == ["/b"]
        assert ids(reader.page_query("okapi", top_k=9)) == ["/c"]
        assert reader.page_query("", top_k=9) == reader.page_query("zebra", top_k=0) == []

    @pytest.mark.parametrize("count", [200, 3000])
    def test_equal_pages_come_back_in_path_order(self, store: VectorStore, count: int) -> None:
        """Whatever was published first, also where the cut goes through equals, and where all pages are equal."""
        fill(store, [record("late", "/0000-old", "the same words"), *(record(f"x{n}", f"/x/{n}") for n in range(300))])
        records = [record(f"{n}", f"/{n * 37 % count:04}", "the same words") for n in range(count)]
        reader = fill(
            store, [*records, record("deep", "/0000/a", "the same words"), record("best", "/z", "same words")]
        )
        expected = ["/z", "/0000", "/0000/a", "/0000-old", *(f"/{n:04}" for n in range(1, count))]
        for top_k in (1, 2, 5, 100, 9999):
            assert ids(reader.page_query("same words", top_k=top_k)) == expected[:top_k]
        within = [url for url in expected if url.startswith("/0000/")]
        assert ids(reader.page_query("same words", top_k=9, where=Filter("/0000"))) == ["/0000", *within]

    @pytest.mark.parametrize("count", [200, 3000])
    def test_equal_records_come_back_in_id_order_by_words_too(self, store: VectorStore, count: int) -> None:
        reader = fill(store, [record(f"{n * 37 % count:04}", f"/{n}", "the same words") for n in range(count)])
        for top_k in (1, 3, 150, 9999):
            assert ids(reader.keyword_query("same words", top_k=top_k)) == [f"{n:04}" for n in range(count)][:top_k]

    def test_a_page_is_the_one_that_was_published_last(self, store: VectorStore) -> None:
        """Changed, moved and deleted records leave no word of theirs behind, and those that stay keep theirs."""
        others = [record(f"o{n}", f"/other/{n}", "okapi") for n in range(20)]  # so that the change is a small one
        pages = [record("a", "/x", "zebra"), record("b", "/x", "giraffe", ordinal=1), record("c", "/y", "lemur")]
        fill(store, [*pages, *others])
        store.delete_by_ids(["c"], MAIN)
        reader = fill(store, [record("a", "/x", "heron"), record("d", "/z", "lemur"), record("b", "/y", "giraffe")])
        for word, urls in {"zebra": [], "heron": ["/x"], "giraffe": ["/y"], "lemur": ["/z"]}.items():
            assert ids(reader.page_query(word, top_k=9)) == urls
        assert len(reader.page_query("okapi", top_k=99)) == 20

    def test_filters_hold_for_pages(self, store: VectorStore) -> None:
        records = [record(url, url) for url in PREFIX_PAGES]
        records += [record("t", "/tagged", tags=("x", "y")), record("hidden", "/hidden", tags=("x", "y"), weight=0.0)]
        reader = fill(store, records)
        assert set(ids(reader.page_query("text", top_k=99, where=Filter("/docs")))) == {"/docs", "/docs/a", "/docs/a/b"}
        assert ids(reader.page_query("text", top_k=99, where=Filter(tags=("y", "x")))) == ["/tagged"]
        assert "/hidden" not in ids(reader.page_query("text", top_k=99))

    @pytest.mark.parametrize(
        ("typed", "share", "count", "known"),
        [
            ("install controller ", 1.0, 2, 1.0),
            ("the installation ", 1.0, 1, 1.0),
            ("contro", 1.0, 1, 1.0),  # begins a word
            ("co", 0.0, 0, 0.0),
            ("contrller ", 1.0, 1, 0.0),  # a slip
            ("bnid ", 0.0, 0, 0.0),  # too short for one
            ("contwoller ", 1.0, 1, 0.0),
            ("rouxer ", 0.0, 0, 0.0),  # a short word that is near one by chance
            ("bind rouxer ", 1.0, 2, 0.5),  # but not beside a word that is there
            ("bindController ", 1.0, 1, 0.0),  # by its parts
            ("bindXyzzyController ", 0.0, 0, 0.0),  # of which one is not there
            ("zebra ", 0.0, 0, 0.0),
            ("?!", 0.0, 0, 0.0),
            ("日本", 0.0, 0, 0.0),
            ("x ", 1.0, 1, 1.0),
            ("x;fjlk x;; ", 0.0, 0, 0.0),  # a letter says nothing beside words
        ],
    )
    def test_evidence_is_what_one_page_says_of_a_query(
        self, store: VectorStore, typed: str, share: float, count: int, known: float
    ) -> None:
        reader = fill(
            store,
            [record("a", "/a", "Installing the controller. Then bind it to a router."), record("b", "/b", "Lemur x")],
        )
        found = reader.word_evidence(typed)
        assert (found.share, found.count, found.known) == (pytest.approx(share), count, known)

    def test_evidence_must_stand_on_one_page(self, store: VectorStore) -> None:
        reader = fill(store, [record("a", "/a", "alpha"), record("b", "/b", "beta"), record("c", "/c", "alpha")])
        found = reader.word_evidence("alpha beta ")
        assert found.count == 1
        assert 0.5 < found.share < 1.0  # the rarer of the two
        assert found.known == 1.0  # wherever

    # Generations

    def test_nothing_is_seen_before_it_is_published(self, store: VectorStore) -> None:
        store.upsert([record("a")], EAST[np.newaxis], MAIN)
        assert store.generation(MAIN) is None
        assert list(store.fingerprints(MAIN)) == []
        with pytest.raises(ScopeNotIndexed):
            store.reader(MAIN)
        assert store.publish(MAIN, INFO) == store.generation(MAIN) == store.reader(MAIN).generation

    def test_a_reader_answers_from_one_generation(self, store: VectorStore) -> None:
        """What is published meanwhile does not mix into a reader that is at work (spec 12.4)."""
        before = fill(store, [record("a", "/a", "zebra"), record("b", "/b", "zebra")])
        after = fill(store, [record("b", "/b", "giraffe"), record("c", "/c", "zebra")])
        assert everything(before) == {"a", "b"}
        assert ids(before.keyword_query("zebra", top_k=9)) == ["a", "b"]
        assert before.records(["b"])[0].text == "zebra"
        assert everything(after) == {"a", "b", "c"}
        assert ids(after.keyword_query("zebra", top_k=9)) == ["a", "c"]

    def test_what_was_not_published_is_not_answered_at_once(self, store: VectorStore) -> None:
        store.upsert([record("a")], EAST[np.newaxis], MAIN)
        assert not store.answers_at_once(MAIN)

    def test_the_generation_says_what_it_holds(self, store: VectorStore) -> None:
        records = [
            record("a", "/a", route_resolution="exact"),
            record("b", "/a", ordinal=1, route_resolution="exact"),
            record("c", "/c"),
        ]
        reader = fill(store, records)
        found = reader.generation
        assert (found.scope, found.project_id, found.model_id, found.dimensions) == (
            "main",
            "shop",
            "hash-8",
            DIMENSIONS,
        )
        assert (found.records, found.pages, dict(found.routes)) == (3, 2, {"exact": 1, "none": 1})
        assert (found.published_at, found.source_revision) == (INFO.published_at, "abc123")
        assert (found.estimated_tokens, found.estimated_cost_usd) == (12, 0.5)
        assert found.digest == index_digest(sorted((item.id, item.record_hash) for item in records))

    def test_equal_contents_have_equal_digests(self, store: VectorStore) -> None:
        """However an index came to be what it is."""
        direct = fill(store, [record(name) for name in "bca"]).generation
        fill(store, [record("a", scope=DRAFT), record("x", scope=DRAFT)], scope=DRAFT)
        assert store.publish(MAIN, INFO).digest == direct.digest
        fill(store, [record("a", text="other")])
        store.delete_by_ids(["b", "c"], MAIN)
        assert store.publish(MAIN, INFO).digest != direct.digest
        assert fill(store, [record(name) for name in "abc"]).generation.digest == direct.digest

    def test_publishing_no_change_keeps_the_generation(self, store: VectorStore) -> None:
        first = fill(store, [record("a"), record("b")]).generation
        assert store.publish(MAIN, INFO) == first
        store.delete_by_ids(["unknown"], MAIN)
        assert fill(store, [record("b"), record("a")]).generation == first

    def test_a_vector_alone_may_change(self, store: VectorStore) -> None:
        """A record that embeds anew is not taken for unchanged because its text is."""
        first = fill(store, [record("a"), record("b")]).generation
        reader = fill(store, [record("a")], NORTH[np.newaxis])
        assert reader.generation.name != first.name
        assert reader.similarities(NORTH, ["a", "b"]) == [1.0, 0.0]

    def test_discard_drops_what_is_staged(self, store: VectorStore) -> None:
        first = fill(store, [record("a")]).generation
        store.upsert([record("b")], EAST[np.newaxis], MAIN)
        store.delete_by_ids(["a"], MAIN)
        store.discard(MAIN)
        store.discard(MAIN)
        assert store.publish(MAIN, INFO) == first

    def test_rollback_returns_to_the_generation_before(self, store: VectorStore) -> None:
        first = fill(store, [record("a", text="zebra")]).generation
        fill(store, [record("b", text="zebra")])
        assert store.rollback(MAIN) == first == store.generation(MAIN)
        assert everything(store.reader(MAIN)) == {"a"}
        with pytest.raises(NoGenerationBefore):
            store.rollback(MAIN)
        assert everything(fill(store, [record("c")])) == {"a", "c"}
        assert store.rollback(MAIN) == first

    def test_rollback_needs_a_generation_before(self, store: VectorStore) -> None:
        with pytest.raises(ScopeNotIndexed):
            store.rollback(MAIN)
        fill(store, [record("a")])
        with pytest.raises(NoGenerationBefore):
            store.rollback(MAIN)
        assert everything(store.reader(MAIN)) == {"a"}

    def test_fingerprints_come_in_id_order(self, store: VectorStore) -> None:
        names = ["b", "a", "Z", "é", "aa", "10", "9", *(f"k{n}" for n in range(5000))]
        fill(store, [record(name) for name in names])
        found = list(store.fingerprints(MAIN))
        assert [record_id for record_id, _ in found] == sorted(names)
        assert dict(found)["é"] == record("é").record_hash

    def test_two_models_never_meet(self, store: VectorStore) -> None:
        """A scope moves to another model whole, or not at all (spec 10.6)."""
        fill(store, [record("a"), record("b")])
        other = replace(INFO, model_id="other-8")
        store.upsert([record("a", model_id="other-8")], NORTH[np.newaxis], MAIN)
        with pytest.raises(EmbeddingModelMismatch):
            store.publish(MAIN, other)
        assert store.reader(MAIN).generation.model_id == "hash-8"
        store.delete_by_ids(["b"], MAIN)
        assert store.publish(MAIN, other).model_id == "other-8"
        assert store.reader(MAIN).query(NORTH, top_k=9) == [Hit("a", 1.0)]

    def test_a_record_of_another_model_than_announced_is_refused(self, store: VectorStore) -> None:
        store.upsert([record("a", model_id="other-8")], EAST[np.newaxis], MAIN)
        with pytest.raises(EmbeddingModelMismatch):
            store.publish(MAIN, INFO)

    # Scopes and projects

    def test_scopes_do_not_see_each_other(self, store: VectorStore) -> None:
        fill(store, [record("a")])
        fill(store, [record("b", scope=DRAFT)], scope=DRAFT)
        assert everything(store.reader(MAIN)) == {"a"}
        assert everything(store.reader(DRAFT)) == {"b"}
        store.upsert([record("c")], EAST[np.newaxis], MAIN)
        assert store.publish(DRAFT, INFO).records == 1

    def test_delete_scope_touches_exactly_one(self, store: VectorStore) -> None:
        """Not its namesakes, not what begins like it (failure 63); and it can be indexed again (failure 62)."""
        fill(store, [record("a")])
        fill(store, [record("b", scope=DRAFT)], scope=DRAFT)
        store.upsert([record("c")], EAST[np.newaxis], MAIN)
        store.delete_scope(MAIN)
        store.delete_scope(MAIN)
        assert store.generation(MAIN) is None
        with pytest.raises(ScopeNotIndexed):
            store.reader(MAIN)
        assert [found.scope for found in store.list_scopes()] == ["main-draft"]
        assert everything(store.reader(DRAFT)) == {"b"}
        assert everything(fill(store, [record("d")])) == {"d"}

    def test_scopes_are_listed_by_name(self, store: VectorStore) -> None:
        assert store.list_scopes() == []
        for name in ("b", "a", "B", "a.b"):
            scope = Scope("shop", name)
            fill(store, [record("k", scope=scope)], scope=scope)
        store.upsert([record("k", scope=MAIN)], EAST[np.newaxis], MAIN)  # staged, not published
        assert [found.scope for found in store.list_scopes()] == ["B", "a", "a.b", "b"]

    @pytest.mark.slow
    def test_every_scope_is_listed_however_many_there_are(self, store: VectorStore) -> None:
        """Prune and `status` would take those beyond a backend's page for scopes that are gone (failure 40)."""
        names = [f"branch-{number:03}" for number in range(MANY_SCOPES)]
        for name in reversed(names):
            scope = Scope("shop", name)
            fill(store, [record("k", scope=scope)], scope=scope)
        assert [found.scope for found in store.list_scopes()] == names

    @pytest.mark.parametrize("name", ["..", ".", "", "a/b", "../main", "a\\b", "a\x00", "é", "a" * 300, "/etc"])
    def test_a_scope_name_never_leads_elsewhere(self, store: VectorStore, name: str) -> None:
        """Names are sanitised before they come here; the store looks again (failure 13)."""
        scope = Scope("shop", name)
        for act in (store.delete_scope, store.reader, store.discard, store.generation, store.rollback):
            with pytest.raises(InvalidScope):
                act(scope)
        with pytest.raises(InvalidScope):
            store.upsert([record("a", scope=scope)], EAST[np.newaxis], scope)

    def test_another_project_is_refused(self, store: VectorStore) -> None:
        """Keys hold no project, so a record or scope of another one never gets in (failure 42)."""
        fill(store, [record("a")])
        other = Scope("other", "main")
        with pytest.raises(ProjectMismatch):
            store.upsert([record("a", scope=other)], EAST[np.newaxis], MAIN)
        with pytest.raises(ProjectMismatch):
            store.delete_scope(other)
        with pytest.raises(ProjectMismatch):
            store.reader(other)
        assert everything(store.reader(MAIN)) == {"a"}

    def test_a_record_of_another_scope_is_refused(self, store: VectorStore) -> None:
        with pytest.raises(InvalidScope):
            store.upsert([record("a", scope=DRAFT)], EAST[np.newaxis], MAIN)

    def test_a_sound_store_has_no_problems(self, store: VectorStore) -> None:
        assert store.verify(MAIN) == []
        fill(store, [record("a")])
        assert store.verify(MAIN) == []
        assert store.repair(MAIN) == []
        assert everything(store.reader(MAIN)) == {"a"}
        assert store.health().ok
