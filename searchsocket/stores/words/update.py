"""The kept pages of a share, with those that changed in their places."""

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter

from pydantic_core import from_json, to_json

from searchsocket.stores.words.documents import WordRow, documents_of
from searchsocket.stores.words.page_documents import Fields, Frame, PageDocuments
from searchsocket.stores.words.source import WordSource


def updated_pages(
    frames: Iterable[Frame], touched: Sequence[bytes], source: WordSource
) -> Iterator[Frame | PageDocuments]:
    """The pages of a share in path order, by frames where nothing of one changes.

    Args:
        frames: What is kept, in path order.
        touched: The sort keys of the pages of this share that changed, came or went, rising.

    Raises:
        ValueError, TypeError, LookupError: What is kept is damaged.
    """
    rest = [path.decode() for path in touched]
    before: Frame | None = None
    for frame in chain(frames, [None]):
        end = len(rest) if frame is None else bisect_left(rest, frame.listed[0][0]) if before else 0
        if before is None and frame is not None:
            pass  # what comes before the first frame is of it
        elif end:
            yield from _changed([] if before is None else before.pages(), rest[:end], source)
        elif before is not None:
            yield before
        rest, before = rest[end:], frame


def _changed(old_pages: Sequence[PageDocuments], touched: Sequence[str], source: WordSource) -> Iterator[PageDocuments]:
    gone = set(touched)
    documents = {
        doc: line for page in old_pages if page.path in gone for doc, line in zip(page.docs, page.records, strict=True)
    }
    rows = source.pages([path.encode() for path in touched], reads_new_only=bool(documents))
    stay = (page for page in old_pages if page.path not in gone)
    return heapq.merge(stay, (_page(page, documents) for page in rows), key=attrgetter("path"))


def _page(rows: Sequence[WordRow], documents_by_doc: dict[int, str]) -> PageDocuments:
    def stored(doc: int) -> Fields | None:
        return from_json(documents_by_doc[doc]) if doc in documents_by_doc else None

    documents, whole = documents_of(rows, stored)
    lines = [to_json(fields).decode() for fields in (*documents, whole)]
    return PageDocuments(rows[0].sort.decode(), [row.doc for row in rows], lines, documents)
