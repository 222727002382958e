"""Hashes, keys and refs (spec 10.1, 10.2)."""

import hashlib
from dataclasses import fields, replace

import pytest

from searchsocket.chunking import chunk_page
from searchsocket.chunking.records import (
    chunk_key,
    chunk_ref,
    content_hash,
    embedded_text,
    embedded_text_of,
    record_hash,
    records_of,
)
from searchsocket.settings.model import ChunkSettings
from searchsocket.types import Chunk, Page, Record, Scope

SCOPE = Scope("acme", "main")
BODY = "# Guide {#guide}\n\n" + "Opening words. " * 30 + "\n\n## Install {#install}\n\n" + "Run [it](/run). " * 30
PAGE = Page(
    "/guide", "Guide", "main", BODY, description="About.", route_file="src/routes/guide/+page.md", tags=("a",),
    link_texts=("the guide",), incoming_links=3, depth=1,
)  # fmt: skip


def records(page: Page = PAGE, scope: Scope = SCOPE, model_id: str = "m") -> list[Record]:
    return records_of(page, chunk_page(page, ChunkSettings()).chunks, scope, model_id)


def test_the_embedded_text_is_title_path_and_visible_text() -> None:
    chunk = Chunk("/g", 1, "section", ("Guide", "Setup"), "Linux", "linux", 0, "#### Linux {#linux}\n\nRun [it](/run).")
    assert embedded_text("Guide", chunk) == "Guide\nSetup > Linux\nRun it."


def test_the_second_piece_of_a_section_still_knows_its_heading() -> None:
    chunk = Chunk("/g", 2, "section", (), "Linux", "linux", 1, "More text.")
    assert embedded_text("Guide", chunk) == "Guide\nLinux\nMore text."


def test_a_record_can_give_the_text_that_its_hash_stands_for() -> None:
    assert all(content_hash(embedded_text_of(record)) == record.content_hash for record in records())


def test_what_does_not_change_the_text_embeds_nothing() -> None:
    """A link target, an anchor, metadata: another record, the same embedding (failure 16)."""
    moved = replace(PAGE, body=BODY.replace("(/run)", "(/pr-1/run)").replace("{#install}", "{#setup}"))
    for page in (moved, replace(PAGE, route_file="src/routes/g/+page.svelte"), replace(PAGE, incoming_links=9)):
        assert [r.content_hash for r in records(page)] == [r.content_hash for r in records()]
        assert [r.record_hash for r in records(page)] != [r.record_hash for r in records()]


def test_a_new_title_changes_every_embedding_of_the_page() -> None:
    """The title is in the embedded text (failure 16)."""
    assert not {r.content_hash for r in records(replace(PAGE, title="Other"))} & {r.content_hash for r in records()}


def test_front_matter_that_is_not_title_or_text_is_never_embedded() -> None:
    secret = replace(PAGE, tags=("zzz",), route_file="zzz", language="zzz", modified="zzz", published="zzz")
    chunks = chunk_page(secret, ChunkSettings()).chunks
    assert not any("zzz" in embedded_text(secret.title, chunk) for chunk in chunks)


def test_another_scope_has_other_records_and_the_same_embeddings() -> None:
    """A second scope of the same site costs nothing (failure 2)."""
    other = records(scope=Scope("acme", "preview"))
    assert [r.content_hash for r in other] == [r.content_hash for r in records()]
    assert not {r.id for r in other} & {r.id for r in records()}


def test_an_insert_moves_the_keys_behind_it_but_not_the_refs_or_embeddings() -> None:
    """Spec 10.2 keeps the ordinal in the key; the ref survives (failure 69)."""
    extra = replace(PAGE, body=BODY.replace("## Install", "## New {#new}\n\n" + "New text. " * 40 + "\n\n## Install"))
    before, after = records()[-1], records(extra)[-1]
    assert before.id != after.id
    assert (
        (before.ref, before.content_hash)
        == (after.ref, after.content_hash)
        == ("/guide#install~0", before.content_hash)
    )


def test_the_chunk_key_is_the_sha1_of_the_specification() -> None:
    expected = hashlib.sha1(b"main|/guide|3|getting started").hexdigest()
    assert chunk_key("main", "/guide", 3, " Getting \n Started") == expected
    assert chunk_key("main", "/guide", 3, "e\u0301") == chunk_key("main", "/guide", 3, "\u00c9")
    assert chunk_key("main", "/", 0, "") == hashlib.sha1(b"main|/|0|").hexdigest()


def test_refs_name_url_anchor_and_piece() -> None:
    chunk = Chunk("/g", 4, "section", (), "", "a", 2, "x")
    assert chunk_ref(chunk) == "/g#a~2"
    assert chunk_ref(replace(chunk, kind="summary", anchor="", piece=0)) == "/g"
    refs = [record.ref for record in records()]
    assert len(set(refs)) == len(refs)


@pytest.mark.parametrize("name", [field.name for field in fields(Record) if field.name != "record_hash"])
def test_the_record_hash_covers_every_other_field(name: str) -> None:
    record = records()[1]
    assert record_hash(record) == record.record_hash
    value = getattr(record, name)
    other = {str: "other", int: 99, float: 0.25, tuple: ("other",)}[type(value)]
    assert record_hash(replace(record, **{name: other})) != record.record_hash


def test_the_record_hash_is_the_same_for_ever() -> None:
    """A change here makes every site upsert everything once: do it knowingly."""
    bare = Record("id", "", "c", "p", "s", "/", "T", "", (), "", "/", 0, "summary", "x", "", "", "", "none", 0, 0, (),
                  (), 1.0, "", "m")  # fmt: skip
    assert record_hash(bare) == "0c1abe22279ff0cff30aed49ffa9f94bf368abadac99865d9cb09d72a6a3f82f"


def test_a_lone_surrogate_stops_nothing() -> None:
    assert len(content_hash("\ud800")) == 64
    assert records(replace(PAGE, title="\udfff"))[0].record_hash
