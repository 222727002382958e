"""Records come back exactly as they were stored."""

from dataclasses import fields, replace

import numpy as np

from searchsocket.content.markdown.chunk_text import chunk_text
from searchsocket.search.candidates import find_candidates
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import EAST, MAIN, NORTH, fill, record
from searchsocket.types import Code, Filter, Lines
from searchsocket.web.urls.paths import sort_key


class RecordsContract:
    def test_a_record_comes_back_as_it_was_stored(self, store: VectorStore) -> None:
        """Every field survives, whatever it holds (spec 12.1)."""
        stored = record(
            "k", "/dócs/日本", "tab\there\n`code` 🎉 \"q\" 'q'", heading_path=("A", "B, C"), tags=("x y", '"', "%"),
            link_texts=("here",), weight=0.5, incoming_links=7, route_resolution="exact", kind="summary", ordinal=3,
            first=12, last=19, source_file="content/日本.md", source_first=7, source_last=2**31,
        )  # fmt: skip
        reader = fill(store, [stored])
        assert reader.catalogue.records(["k"]) == [stored]
        assert reader.catalogue.page_records("/dócs/日本") == [stored]

    def test_records_come_in_the_order_they_were_asked_for(self, store: VectorStore) -> None:
        reader = fill(store, [record(name) for name in "abc"])
        assert [row.id for row in reader.catalogue.records(["c", "a", "c", "b"])] == ["c", "a", "c", "b"]
        assert reader.catalogue.records([]) == []

    def test_what_is_shown_is_the_record_and_what_it_says(self, store: VectorStore) -> None:
        """Texts that hold more or less than Markdown, nothing, or what no file can hold."""
        texts = ["# Zebra {#z}\n\nIt *eats* `grass`.\n\n## Young {#young}\n\nFoals", "", "zèbre", "x" * 40_000]
        records = [record(f"k{n}", f"/{n}", text, section_title="Zebra") for n, text in enumerate(texts)]
        records[2] = record("k2", "/2", "zèbre \ud800", section_title="Zebra")
        records.append(record("s", "/s", "ignored", kind="summary", description="A site  about\n zebras"))
        reader = fill(store, records)
        ids = ["s", "k0", "k3", "k1", "k2", "k0"]
        readable = reader.catalogue.readable(ids)
        assert [item.record for item in readable] == reader.catalogue.records(ids)
        assert [item.text for item in readable] == [
            chunk_text(item.record.page, item.record.chunk) for item in readable
        ]
        assert readable[1].text.text == "It eats grass.\nYoung\nFoals"
        assert reader.catalogue.texts(ids) == [item.record.chunk.body.text for item in readable]
        assert reader.catalogue.readable([]) == reader.catalogue.texts([]) == []
        texts = reader.catalogue.texts(ids)
        reader.catalogue.read_ahead()
        assert (reader.catalogue.readable(ids), reader.catalogue.texts(ids)) == (readable, texts)

    def test_code_is_kept_and_found_as_it_is_written(self, store: VectorStore) -> None:
        """Its lines open it, no Markdown is taken out of it, and its words are whole names too."""
        text = "def read_batch(**options):\n    # *all* of [it](here)\n    return `x`"
        code = record("code", "/src/a.py", text, body=Code(text, "python"), at=Lines("Reader.read_batch", 7, 9))
        code = replace(code, chunk=replace(code.chunk, kind="definition"))
        reader = fill(store, [code, record("prose", "/a", "# A page")], np.stack([NORTH, EAST]))
        assert reader.catalogue.records(["code"]) == [code]
        assert reader.catalogue.page_records("/src/a.py") == [code]
        assert reader.vectors.nearest(NORTH, top_k=1)[0].id == "code"
        assert [hit.id for hit in reader.words.search("read_batch", top_k=9)] == ["code"]
        assert [hit.id for hit in reader.words.search("options", top_k=9)] == ["code"]
        (readable,) = reader.catalogue.readable(["code"])
        assert readable.text.text == text
        assert list(find_candidates(reader, NORTH, "options", top_k=1).facts.anchor) == ["L7-L9"]

    def test_facts_are_fields_of_the_records(self, store: VectorStore) -> None:
        """Ranking facts equal the fields of the records for all values, also after a change."""
        pages = [record(f"k{n}", f"/{'é日 x'[n % 4]}/{n // 3}", title=f"T{n % 5}\n", anchor="à" * (n % 3), ordinal=n,
                        depth=n % 7, incoming_links=n * 1000, weight=(0.1, 1.0, 0.0)[n % 3],
                        kind=("section", "summary")[n % 2]) for n in range(50)]  # fmt: skip
        fill(store, pages)
        store.delete_by_ids(["k3", "k18"], MAIN)
        changed = record("k9", "/new", title="Other", incoming_links=10**12, anchor="new", weight=2.5)
        reader = fill(store, [changed, record("z", "/é/0")])
        candidates = find_candidates(reader, EAST, "text", top_k=10_000)
        records = reader.catalogue.records(candidates.ids)
        assert set(candidates.ids) == {"z", *(f"k{n}" for n in range(50) if n % 3 != 2 and n not in (3, 18))}
        for name in {field.name for field in fields(candidates.facts)} - {"order"}:
            owners = [
                item.chunk.at if name == "anchor" else item.chunk if name == "kind" else item.page for item in records
            ]
            assert list(getattr(candidates.facts, name)) == [getattr(owner, name) for owner in owners]
        keys = [(sort_key(row.page.url), row.chunk.ordinal, row.id) for row in records]
        assert [keys[place] for place in np.argsort(candidates.facts.order)] == sorted(keys)
        assert len(set(candidates.facts.order.tolist())) == len(keys)
        assert list(find_candidates(reader, EAST, "text", top_k=10_000, where=Filter("/nowhere")).facts.url) == []

    def test_page_records_are_those_of_one_page_by_ordinal(self, store: VectorStore) -> None:
        pages = [record(f"k{n}", "/docs", ordinal=n) for n in (10, 2, 0)] + [
            record("x", "/docs/a"),
            record("y", "/doc"),
        ]
        reader = fill(store, pages)
        assert [row.chunk.ordinal for row in reader.catalogue.page_records("/docs")] == [0, 2, 10]
        assert reader.catalogue.page_records("/nowhere") == []

    def test_fingerprints_come_in_id_order(self, store: VectorStore) -> None:
        names = ["b", "a", "Z", "é", "aa", "10", "9", *(f"k{n}" for n in range(5000))]
        fill(store, [record(name) for name in names])
        results = list(store.fingerprints(MAIN))
        assert [record_id for record_id, _ in results] == sorted(names)
        assert dict(results)["é"] == record("é").record_hash
