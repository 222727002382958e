"""Hashes, keys and refs (spec 10.1, 10.2)."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import field, fields, is_dataclass, make_dataclass, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.content.chunking import chunk_page
from searchsocket.content.chunking.records import (
    as_json,
    canonical,
    chunk_key,
    chunk_ref,
    content_hash,
    cut_chunks,
    embedded_text,
    hash_of,
    key_of,
    parse_record,
    record_id,
)
from searchsocket.content.pages import Page
from searchsocket.project.settings.site import ChunkSettings
from searchsocket.types import Chunk, Code, Lines, PageFacts, Prose, Record, Scope, Section

SCOPE = Scope("acme", "main")
BODY = "# Guide {#guide}\n\n" + "Opening words. " * 30 + "\n\n## Install {#install}\n\n" + "Run [it](/run). " * 30
FACTS = PageFacts(
    url="/guide", title="Guide", description="About.", route_file="src/routes/guide/+page.md", tags=("a",),
    link_texts=("the guide",), incoming_links=3, depth=1,
)  # fmt: skip
PAGE = Page(FACTS, "main", BODY)


def records(page: Page = PAGE, scope: Scope = SCOPE, model_id: str = "m") -> list[Record]:
    return [chunk.record for chunk in cut_chunks(page.facts, chunk_page(page, ChunkSettings()).chunks, scope, model_id)]


def kinds_of(owner: type) -> dict[str, st.SearchStrategy[Any]]:
    """A strategy for every field of a type."""
    return {name: _kind(hint) for name, hint in get_type_hints(owner).items()}


def _kind(hint: Any) -> st.SearchStrategy[Any]:
    plain = {str: texts, int: st.integers(0, 10**9), float: st.floats(0, 100)}
    if hint in plain:
        return plain[hint]
    if is_dataclass(hint):
        return st.builds(hint, **kinds_of(hint))
    args = get_args(hint)
    if get_origin(hint) is tuple:
        return st.lists(_kind(args[0]), max_size=3).map(tuple)
    return st.sampled_from(args) if get_origin(hint) is Literal else st.one_of(*map(_kind, args))


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def text_of(record: Record) -> str:
    names = [
        entry.name for entry in fields(Record) if entry.name not in ("id", "scope", "record_hash", "page", "chunk")
    ]
    return canonical({name: getattr(record, name) for name in names}, as_json(record.page), record.chunk)


def saying(**facts: Any) -> Page:
    return replace(PAGE, facts=replace(FACTS, **facts))


def prose(ordinal: int, path: tuple[str, ...], title: str, anchor: str, piece: int, text: str) -> Chunk:
    return Chunk(ordinal, "section", Prose(text), Section(path, title, anchor, piece))


def test_the_embedded_text_is_title_path_and_visible_text() -> None:
    chunk = prose(1, ("Guide", "Setup"), "Linux", "linux", 0, "#### Linux {#linux}\n\nRun [it](/run).")
    assert embedded_text("Guide", chunk) == "Guide\nSetup > Linux\nRun it."


def test_the_second_piece_of_a_section_still_knows_its_heading() -> None:
    chunk = prose(2, (), "Linux", "linux", 1, "More text.")
    assert embedded_text("Guide", chunk) == "Guide\nLinux\nMore text."


def test_a_record_can_give_the_text_that_its_hash_stands_for() -> None:
    assert all(
        content_hash(embedded_text(record.page.title, record.chunk)) == record.content_hash for record in records()
    )


def test_changes_outside_the_text_embed_nothing() -> None:
    """A link target, an anchor, metadata: another record, the same embedding (failure 16)."""
    moved = replace(PAGE, body=BODY.replace("(/run)", "(/pr-1/run)").replace("{#install}", "{#setup}"))
    for page in (moved, saying(route_file="src/routes/g/+page.svelte"), saying(incoming_links=9)):
        assert [r.content_hash for r in records(page)] == [r.content_hash for r in records()]
        assert [r.record_hash for r in records(page)] != [r.record_hash for r in records()]


def test_a_new_title_changes_every_embedding_of_the_page() -> None:
    """The title is in the embedded text (failure 16)."""
    assert not {r.content_hash for r in records(saying(title="Other"))} & {r.content_hash for r in records()}


def test_front_matter_that_is_not_title_or_text_is_never_embedded() -> None:
    secret = saying(tags=("zzz",), route_file="zzz", language="zzz", modified="zzz", published="zzz")
    chunks = chunk_page(secret, ChunkSettings()).chunks
    assert not any("zzz" in embedded_text(secret.facts.title, chunk) for chunk in chunks)


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
    def key(url: str, ordinal: int, title: str) -> str:
        return chunk_key("main", url, prose(ordinal, (), title, "", 0, "x"), 0)

    assert key("/guide", 3, " Getting \n Started") == hashlib.sha1(b"main|/guide|3|getting started").hexdigest()
    assert key("/guide", 3, "e\u0301") == key("/guide", 3, "\u00c9")
    assert key("/", 0, "") == hashlib.sha1(b"main|/|0|").hexdigest()


names = st.sampled_from(["", "run", "Parser", "Parser.parse", "über"])
definitions = st.lists(st.builds(lambda name, line: (name, f"def {name}(**kw):\n    {line}"), names, st.integers(0, 3)))


def keys_of(definitions: Sequence[tuple[str, str]]) -> list[str]:
    """The keys of a file that holds these definitions, one below the other."""
    chunks = [
        Chunk(i, "definition", Code(text, "python"), Lines(name, 2 * i + 1, 2 * i + 2))
        for i, (name, text) in enumerate(definitions)
    ]
    page = Page(PageFacts(url="/src/a.py", title="a.py"), "main", "")
    return [chunk.record.id for chunk in cut_chunks(page.facts, chunks, SCOPE, "m")]


@given(definitions, st.integers(0, 99))
def test_an_insert_renumbers_no_code(expected: list[tuple[str, str]], at: int) -> None:
    """Whatever stands above a definition, and wherever a function is added, every other key stays."""
    before = keys_of(expected)
    at %= len(expected) + 1
    after = keys_of([*expected[:at], ("new_one", "def new_one(): ..."), *expected[at:]])
    assert after[:at] + after[at + 1 :] == before
    assert len(set(after)) == len(after)


def test_equal_names_are_numbered_among_themselves() -> None:
    one, two, other = keys_of([("run", "a"), ("run", "b"), ("stop", "c")])
    assert keys_of([("stop", "c"), ("run", "x"), ("go", "d"), ("run", "b")])[::2] == [other, keys_of([("go", "d")])[0]]
    assert keys_of([("run", "x"), ("run", "b")]) == [one, two]


def test_code_is_embedded_as_it_is_written() -> None:
    """Stripping Markdown from it would take names apart."""
    text = "def run(**kw):\n    return `x` # *not* [a](link)"
    chunk = Chunk(0, "definition", Code(text, "python"), Lines("Parser.run", 3, 4))
    assert embedded_text("a.py", chunk) == f"a.py\nParser.run\n{text}"
    assert chunk_ref("/src/a.py", chunk, 1) == "/src/a.py#Parser.run~1"


def test_refs_name_url_anchor_and_piece() -> None:
    chunk = prose(4, (), "", "a", 2, "x")
    assert chunk_ref("/g", chunk, 0) == "/g#a~2"
    assert chunk_ref("/g", replace(chunk, kind="summary"), 0) == "/g"
    refs = [record.ref for record in records()]
    assert len(set(refs)) == len(refs)


def parts_of(record: Record) -> list[Any]:
    return [record, record.page, record.chunk, record.chunk.body, record.chunk.at]


@pytest.mark.parametrize(
    ("part", "name"),
    [(i, entry.name) for i, part in enumerate(parts_of(records()[1])) for entry in fields(part)],
)
def test_the_record_hash_covers_every_field_that_scopes_share(part: int, name: str) -> None:
    record = records()[1]
    assert hash_of(text_of(record)) == record.record_hash
    value = getattr(parts_of(record)[part], name)
    if name in ("id", "scope", "record_hash") or is_dataclass(value):
        return
    other = {str: "other", int: 99, float: 0.25, tuple: ("other",)}[type(value)]
    parts = list(parts_of(record))
    parts[part] = replace(parts[part], **{name: other})
    chunk = parts[2] if part == 2 else replace(record.chunk, body=parts[3], at=parts[4])
    changed = parts[0] if part == 0 else replace(record, page=parts[1], chunk=chunk)
    assert hash_of(text_of(changed)) != record.record_hash


def with_new_fields(value: Any, **new_values: Any) -> Any:
    """A value of the type that a later version has: with fields that the type does not have today."""
    kind = type(value)
    added = [("level", str, field(default="")), ("topics", tuple[str, ...], field(default_factory=tuple))]
    later = make_dataclass(kind.__name__, added, bases=(kind,), frozen=True, slots=True, kw_only=True)
    return later(**{entry.name: getattr(value, entry.name) for entry in fields(kind)}, **new_values)


@pytest.mark.parametrize(
    "value", [FACTS, records()[1].chunk.at, Lines("f", 1, 1)], ids=lambda value: type(value).__name__
)
def test_a_new_field_at_its_default_changes_no_hash(value: Any) -> None:
    """A field that a later version adds makes no index write every record again."""
    before = json.loads(as_json(value))
    before.pop("kind_of", None)  # the type of the test is no member of the union
    assert json.loads(as_json(with_new_fields(value))) == before
    assert json.loads(as_json(with_new_fields(value, level="easy"))) == {**before, "level": "easy"}
    assert json.loads(as_json(with_new_fields(value, topics=("a",)))) == {**before, "topics": ["a"]}


def test_fields_of_today_are_written_at_their_defaults() -> None:
    """The hashes of existing indexes contain them, so leaving one out would write every record again."""
    assert as_json(PageFacts(url="/", title="T")) == (
        '{"address":"","depth":0,"description":"","facets":[],"incoming_links":0,"language":"","link_texts":[],'
        '"modified":"","published":"","route_file":"","route_resolution":"none","source_file":"","tags":[],'
        '"title":"T","url":"/","weight":1.0}'
    )
    assert as_json(Section((), "", "", 0)) == (
        '{"anchor":"","first":0,"heading_path":[],"kind_of":"Section","last":0,"piece":0,"source_first":0,'
        '"source_last":0,"title":""}'
    )
    assert as_json(Lines("f", 1, 2)) == (
        '{"defines":[],"doc":"","exported":0,"first":1,"heading_path":[],"kind_of":"Lines","last":2,"parents":[],'
        '"signature":"","symbol":"f"}'
    )


@given(st.builds(Record, **kinds_of(Record)))
def test_a_record_comes_back_from_its_canonical_text(record: Record) -> None:
    """The state keeps records as the text that is hashed."""
    head, page, chunk = parse_record(text_of(record))
    names = {"id": record.id, "scope": record.scope, "record_hash": record.record_hash}
    assert Record(**names, **head, page=page, chunk=chunk) == record


locations = st.one_of(
    st.builds(Section, st.just(()), texts, texts, st.integers(0, 9)), st.builds(Lines, names, st.just(1), st.just(2))
)


@given(st.lists(st.tuples(texts, locations), min_size=1, max_size=4), texts)
def test_scopes_share_all_of_a_record_but_its_id(pieces: list[tuple[str, Section | Lines]], url: str) -> None:
    """The id is computed from the record when it is read in another scope."""
    page = PageFacts(url=url, title=',"page":')
    chunks = [Chunk(i, "section", Prose(text), at) for i, (text, at) in enumerate(pieces)]
    there, here = (cut_chunks(page, chunks, Scope("museum", name), "m") for name in ("main", "a-branch"))
    for one, other in zip(there, here, strict=True):
        assert (one.canonical, one.key) == (other.canonical, other.key)
        assert replace(one.record, id="", scope="") == replace(other.record, id="", scope="")
        head, _, chunk = parse_record(one.canonical)
        assert record_id("a-branch", url, key_of(head, chunk)) == other.record.id != one.record.id


def test_the_record_hash_is_the_same_for_ever() -> None:
    """A change here makes every site upsert everything once: do it knowingly."""
    facts = PageFacts(url="/", title="T")
    bare = Record("id", "", "c", "/", "p", "s", "m", facts, Chunk(0, "summary", Prose("x"), Section((), "", "", 0)))
    assert hash_of(text_of(bare)) == "fda552ba46372ace9f53cc33de7325a56f13c84622ee94d768305088205499d7"


def test_a_lone_surrogate_stops_nothing() -> None:
    assert len(content_hash("\ud800")) == 64
    assert records(saying(title="\udfff"))[0].record_hash
