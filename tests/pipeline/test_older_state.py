"""A state whose chunks an earlier release wrote: a run that is cut short reads none of them, and a whole one heals."""

import json
import sqlite3
from contextlib import closing
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest

from searchsocket.content.chunking.records import hash_of
from searchsocket.errors import NewerRelease
from searchsocket.state.schema import SCHEMA_VERSION
from searchsocket.stores.local.layout import FORMAT
from searchsocket.types import Record
from tests.held_records import change_records
from tests.older_index import make_older, set_format
from tests.pipeline.conftest import Site


def older(records: str) -> str:
    text = records.replace(',"page":{', ',"page":{"key_phrases":["main sail"],')
    assert json.loads(text.split("\n")[0])["page"]["key_phrases"]
    return text


def make_state_older(site: Site) -> None:
    """Give each chunk a fact that records have no longer, as the release before this one's schema wrote them."""
    with closing(sqlite3.connect(site.project.state_dir / "state.db")) as db, db:
        change_records(db, older)
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION - 1}")


def test_a_run_that_is_cut_short_and_a_new_scope_read_no_older_chunks(site: Site) -> None:
    site.index()
    everything = site.urls()
    make_state_older(site)
    make_older(site.project.state_dir / "index")
    summary = site.index(max_chunks=3)
    assert any(f"schema version {SCHEMA_VERSION - 1}, not {SCHEMA_VERSION}" in line for line in summary.warnings)
    assert site.urls() < everything
    site.index("feature")
    assert site.urls("feature") == everything
    healed = site.index()
    assert site.urls() == everything
    assert healed.embeddings["created"] == 0


def test_the_state_of_a_newer_release_is_not_changed(site: Site) -> None:
    """Index and state: a run ends before it writes anything."""
    site.index()
    state, index = site.project.state_dir / "state.db", site.project.state_dir / "index"
    with closing(sqlite3.connect(state)) as db, db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    before = state.read_bytes()
    with pytest.raises(NewerRelease, match=f"schema {SCHEMA_VERSION + 1}"):
        site.index()
    assert state.read_bytes() == before
    with closing(sqlite3.connect(state)) as db, db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    set_format(index, "main", FORMAT + 1)
    live = (index / "main" / "CURRENT").read_bytes()
    for force in (False, True):
        with pytest.raises(NewerRelease, match=f"format {FORMAT + 1}"):
            site.index(force=force)
    assert (index / "main" / "CURRENT").read_bytes() == live


def form(kind: Any) -> Any:
    """The names of the fields of a type, and of those that it holds."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return {field.name: form(hints[field.name]) for field in fields(kind)}
    nested_forms = {
        type_.__name__: form(type_) for type_ in get_args(kind) if is_dataclass(type_) and isinstance(type_, type)
    }
    return nested_forms or None


def test_records_change_their_form_with_the_schema_alone() -> None:
    """The types must be able to read the state: raise SCHEMA_VERSION with them, and then this number."""
    digest = hash_of(json.dumps(form(Record), sort_keys=True))[:16]
    assert (SCHEMA_VERSION, digest) == (20, "732e5c1f17086ec2")
