"""Documents beside a segment come back as they were, an edit writes its own alone, and damage is told."""

from collections.abc import Collection
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.stores.words.page_documents import PageDocuments, StoredPages, page_writer

ERRORS = (ValueError, LookupError, TypeError)


def page(number: int, text: str = "lantern", records: int = 2) -> PageDocuments:
    docs = [number * 100 + at for at in range(records)]
    return PageDocuments(f"/{number:04}", docs, [*(f'{{"{text}": {doc}}}' for doc in docs), f'{{"whole": {number}}}'])


def written(
    path: Path, pages: list[PageDocuments], stored: StoredPages | None = None, changed: Collection[str] = ()
) -> StoredPages:
    with page_writer(path, stored, changed) as writer:
        for one in pages:
            writer.add(one)
    return StoredPages(path)


@given(st.dictionaries(st.integers(1, 9_999), st.integers(1, 600), max_size=20))
def test_pages_come_back_in_order(tmp_path_factory: pytest.TempPathFactory, sizes: dict[int, int]) -> None:
    pages = [page(number, records=size) for number, size in sorted(sizes.items())]
    stored = written(tmp_path_factory.mktemp("stored") / "a.docs", pages)
    assert list(stored.pages()) == pages


EDIT = st.dictionaries(st.integers(0, 40), st.sampled_from(["compass", "anchor", ""]), max_size=4)  # "" = gone


@given(st.lists(EDIT, max_size=6))
def test_edited_pages_come_back_whatever_the_history(
    tmp_path_factory: pytest.TempPathFactory, edits: list[dict[int, str]]
) -> None:
    """Pages that change, come and go, some of them again and again; and the two files become one now and then."""
    folder = tmp_path_factory.mktemp("stored")
    pages = {number: page(number) for number in range(0, 40, 2)}
    stored = written(folder / "0.docs", list(pages.values()))
    for number, edit in enumerate(edits, 1):
        pages |= {changed: page(changed, text, records=number % 3 + 1) for changed, text in edit.items()}
        pages = {at: pages[at] for at in sorted(pages) if edit.get(at) != ""}
        changed = [page(at).path for at in edit]
        stored = written(folder / f"{number}.docs", list(pages.values()), stored, changed)
        assert list(stored.pages()) == list(pages.values())


def test_an_edit_writes_its_page_alone_until_many_differ(tmp_path: Path) -> None:
    pages = [page(number, f"{number}") for number in range(800)]
    stored, is_small = written(tmp_path / "before.docs", pages), []
    for number in range(102):
        pages[number] = page(number, "compass", records=3)
        stored = written(tmp_path / f"{number}.docs", pages, stored, [pages[number].path])
        is_small.append((tmp_path / f"{number}.edits").exists())
    assert is_small == [*[True] * 100, False, True], "an eighth of 800"
    assert (tmp_path / "0.edits").stat().st_size < (tmp_path / "0.docs").stat().st_size / 20
    assert (tmp_path / "99.docs").samefile(tmp_path / "before.docs")
    assert list(stored.pages()) == pages


@pytest.mark.parametrize("at", [3, -12, -1])
def test_a_wrong_byte_is_told(tmp_path: Path, at: int) -> None:
    written(tmp_path / "a.docs", [page(number) for number in range(1, 40)])
    data = bytearray((tmp_path / "a.docs").read_bytes())
    data[at] ^= 0xFF
    (tmp_path / "b.docs").write_bytes(data)
    with pytest.raises(ERRORS):
        list(StoredPages(tmp_path / "b.docs").pages())


def test_a_frame_with_another_number_of_documents_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the documents of a frame do not match"):
        list(written(tmp_path / "a.docs", [page(1)._replace(lines=["{}"])]).pages())


def test_a_file_that_ends_early_is_told(tmp_path: Path) -> None:
    written(tmp_path / "a.docs", [page(1)])
    (tmp_path / "b.docs").write_bytes((tmp_path / "a.docs").read_bytes()[:-9])
    with pytest.raises(ERRORS):
        StoredPages(tmp_path / "b.docs")
