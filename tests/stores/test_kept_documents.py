"""Documents beside a segment come back as they were, in any order, and damage in them is told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.stores.words.kept import Fields, KeptDocuments, documents_kept_in


def made(doc: int, text: str = "lantern") -> Fields:
    return {"doc": doc, "body": [f"{text} {doc}\n"], "tags": []}


def written(path: Path, documents: dict[int, Fields]) -> KeptDocuments:
    with documents_kept_in(path) as writer:
        for doc, fields in documents.items():
            writer.add(doc, fields)
    return KeptDocuments(path)


@given(st.dictionaries(st.integers(1, 9_999), st.text(), max_size=20))
def test_documents_come_back(tmp_path_factory: pytest.TempPathFactory, texts: dict[int, str]) -> None:
    documents = {doc: made(doc, text) for doc, text in texts.items()}
    kept = written(tmp_path_factory.mktemp("kept") / "a.docs", documents)
    assert {doc: kept.get(doc) for doc in sorted(documents)} == documents
    assert kept.get(0) is None


def test_they_are_read_out_of_order_and_over_many_frames(tmp_path: Path) -> None:
    documents = {doc: made(doc) for doc in range(1, 1_700)}
    kept = written(tmp_path / "a.docs", documents)
    assert [kept.get(doc) for doc in (1_699, 1, 501, 500, 999)] == [made(doc) for doc in (1_699, 1, 501, 500, 999)]


@pytest.mark.parametrize("at", [3, -12, -1])
def test_a_wrong_byte_is_told(tmp_path: Path, at: int) -> None:
    written(tmp_path / "a.docs", {doc: made(doc) for doc in range(1, 40)})
    data = bytearray((tmp_path / "a.docs").read_bytes())
    data[at] ^= 0xFF
    (tmp_path / "b.docs").write_bytes(data)
    with pytest.raises((ValueError, LookupError, TypeError)):
        KeptDocuments(tmp_path / "b.docs").get(1)


def test_a_file_that_ends_early_is_told(tmp_path: Path) -> None:
    written(tmp_path / "a.docs", {1: made(1)})
    (tmp_path / "b.docs").write_bytes((tmp_path / "a.docs").read_bytes()[:-9])
    with pytest.raises((ValueError, LookupError, TypeError)):
        KeptDocuments(tmp_path / "b.docs")
