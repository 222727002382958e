"""Documents beside a segment come back as they were, by frames that an edit elsewhere leaves alone; damage is told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.stores.words.page_documents import Frame, PageDocuments, StoredPages, one_by_one, page_writer

ERRORS = (ValueError, LookupError, TypeError)


def page(number: int, text: str = "lantern", records: int = 2) -> PageDocuments:
    docs = [number * 100 + at for at in range(records)]
    return PageDocuments(f"/{number:04}", docs, [*(f'{{"{text}": {doc}}}' for doc in docs), f'{{"whole": {number}}}'])


def written(path: Path, pages: list[PageDocuments]) -> StoredPages:
    with page_writer(path) as writer:
        for one in pages:
            writer.add(one)
    return StoredPages(path)


@given(st.dictionaries(st.integers(1, 9_999), st.integers(1, 600), max_size=20))
def test_pages_come_back_in_order(tmp_path_factory: pytest.TempPathFactory, sizes: dict[int, int]) -> None:
    pages = [page(number, records=size) for number, size in sorted(sizes.items())]
    kept = written(tmp_path_factory.mktemp("kept") / "a.docs", pages)
    assert list(kept.pages()) == pages
    assert [one for frame in one_by_one(pages) for one in frame.pages()] == pages


def test_an_edit_changes_the_frame_of_its_page_alone(tmp_path: Path) -> None:
    pages = [page(number) for number in range(3_000)]
    before = list(written(tmp_path / "a.docs", pages).frames())
    assert 6 <= len(before) <= 24, "about 500 records a frame"
    pages[1_500] = page(1_500, "compass", records=3)
    del pages[1_700]
    after = list(written(tmp_path / "b.docs", pages).frames())
    assert len({frame.data for frame in after} - {frame.data for frame in before}) <= 3


def test_no_frame_is_large(tmp_path: Path) -> None:
    frames = written(tmp_path / "a.docs", [page(number, records=7) for number in range(3_000)]).frames()
    assert max(sum(len(docs) for _, docs in frame.listed) for frame in frames) < 607


def test_a_frame_is_taken_over_as_it_is(tmp_path: Path) -> None:
    frames = list(written(tmp_path / "a.docs", [page(number) for number in range(2_000)]).frames())
    with page_writer(tmp_path / "b.docs") as writer:
        for frame in frames:
            writer.take_over(frame)
    assert (tmp_path / "b.docs").read_bytes() == (tmp_path / "a.docs").read_bytes()


@pytest.mark.parametrize("at", [3, -12, -1])
def test_a_wrong_byte_is_told(tmp_path: Path, at: int) -> None:
    written(tmp_path / "a.docs", [page(number) for number in range(1, 40)])
    data = bytearray((tmp_path / "a.docs").read_bytes())
    data[at] ^= 0xFF
    (tmp_path / "b.docs").write_bytes(data)
    with pytest.raises(ERRORS):
        list(StoredPages(tmp_path / "b.docs").pages())


def test_a_frame_with_another_number_of_documents_is_told() -> None:
    with pytest.raises(ValueError, match="the documents of a frame do not match"):
        Frame([("/a", [1, 2])], Frame.of([page(1, records=4)]).data).pages()


def test_a_file_that_ends_early_is_told(tmp_path: Path) -> None:
    written(tmp_path / "a.docs", [page(1)])
    (tmp_path / "b.docs").write_bytes((tmp_path / "a.docs").read_bytes()[:-9])
    with pytest.raises(ERRORS):
        StoredPages(tmp_path / "b.docs")
