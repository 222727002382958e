"""Contract of the state if its content is damaged."""

import pytest

from searchsocket.errors import StateUnavailable
from searchsocket.state.extracts import extract_key
from searchsocket.state.project import ProjectState
from searchsocket.state.records import records_of
from searchsocket.state.schema import DamagedRow
from searchsocket.state.scope import ScopeState
from tests.state.building import HOW, Damage, chunked, extracted, mirrored


def read_records(state: ScopeState) -> None:
    selection = state.chunks.select()
    selection.add([record_id for record_id, _ in state.chunks.fingerprints()])
    for batch in selection.batches(10):
        list(records_of(batch, "main"))


def read_texts(state: ScopeState) -> None:
    state.chunks.texts_at([text.position for text in state.chunks.texts()])


def take_over(state: ScopeState) -> None:
    extracted(state, "/a")
    [page] = state.extracts.pages(state.extracts.stale(HOW, everything=True))
    state.extracts.same_elsewhere(page, extract_key(page.raw, page.raw_hash, HOW))


class TestDamage:
    """`damage` corrupts one kind of stored value: body, facts, record, content_hash, ..."""

    @pytest.mark.parametrize("kind", ["record", "record_hash", "key", "content_hash"])
    def test_a_damaged_chunk_is_never_handed_out(self, project: ProjectState, damage: Damage, kind: str) -> None:
        with project.open("main") as state:
            chunked(state, "/a", "one")
        damage(kind)
        readers = {
            "record": [read_records, read_texts],
            "record_hash": [read_records],
            "key": [read_records],
            "content_hash": [read_texts],
        }
        for read in readers[kind]:
            with project.open("main") as state, pytest.raises(DamagedRow):
                read(state)
        with pytest.raises(StateUnavailable, match="damaged"), project.open("main") as state:
            readers[kind][0](state)

    @pytest.mark.parametrize("kind", ["body", "facts"])
    def test_a_damaged_page_is_never_handed_out(self, project: ProjectState, damage: Damage, kind: str) -> None:
        with project.open("main") as state:
            mirrored(state, "/a")
        damage(kind)
        with pytest.raises(StateUnavailable, match="damaged"), project.open("preview") as state:
            take_over(state)

    def test_after_damage_the_next_run_begins_anew_and_says_nothing_wrong(
        self, project: ProjectState, damage: Damage
    ) -> None:
        with project.open("main") as state:
            page_id = mirrored(state, "/a")
        damage("body")
        with pytest.raises(StateUnavailable), project.open("main") as state:
            state.mirror.page(page_id)
        with project.open("main") as state:
            assert state.pages.count() == 0
            chunked(state, "/a", "one")
        with project.open("main") as state:
            assert state.chunks.count() == (1, 1)
