"""Postings of a static export: by term, the pages and chunks that contain it, with counts per field.

`clients/js/src/static/index.ts` reads this format.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from searchsocket.stores.words.documents import HEADING
from searchsocket.text.words import index_words, spellings, split_code
from searchsocket.types import Record

BUCKET_BYTES = 8_000  # of postings, before compression; a query reads one bucket per word
_STEPS = 6  # per doubling of a length; a step is 12 %
_MAX_LENGTH, _FIRST_CHAR = 90, 35  # a length is one character of a JSON string

Lengths = dict[str, list[int]]  # by field, one per chunk or page


@dataclass(slots=True)
class Postings:
    """Postings of all terms, filled page by page."""

    # By term: a page and its counts in title, links and path; a chunk and its counts in text, in and under headings.
    pages: defaultdict[str, list[tuple[int, ...]]] = field(default_factory=lambda: defaultdict(list))
    chunks: defaultdict[str, list[tuple[int, ...]]] = field(default_factory=lambda: defaultdict(list))
    lengths: Lengths = field(default_factory=lambda: {name: [] for name in ("links", "own", "body", "headings")})
    spellings: Counter[str] = field(default_factory=Counter)  # number of chunks by word as typed

    def add(self, number: int, first_chunk: int, records: list[Record]) -> None:
        """Add a page.

        Args:
            first_chunk: Number of the first record among all chunks.
        """
        page = records[0].page
        shared = (page.title, "\n".join(page.link_texts), page.url.replace("/", " "))
        counts = [Counter(index_words(text)) for text in shared]
        self.lengths["links"].append(counts[1].total())
        for term in sorted(set().union(*counts)):
            self.pages[term].append((number, *(count[term] for count in counts)))
        for chunk, record in enumerate(records, first_chunk):
            # Prose and code are one field: equal quality in `bench.static_export`, and fewer bytes, than two fields.
            own = ("\n".join(split_code(record.chunk.body.text)), "\n".join(record.chunk.at.heading_path))
            self._add_chunk(chunk, *own, "\n".join(_own_headings(record)))
            self.spellings.update(spellings("\n".join((*shared, *own))))

    def _add_chunk(self, chunk: int, *texts: str) -> None:
        counts = [Counter(index_words(text)) for text in texts]
        for name, count in zip(("body", "headings", "own"), counts, strict=True):
            self.lengths[name].append(count.total())
        for term in sorted(set().union(*counts)):
            self.chunks[term].append((chunk, *(count[term] for count in counts)))

    def buckets(self) -> Iterator[tuple[str, bytes]]:
        """Yield the first term and the bytes of each bucket, in the order of terms."""
        terms: list[str] = []
        parts: list[bytes] = []
        for term in sorted(self.pages.keys() | self.chunks.keys(), key=_utf16):
            terms.append(term)
            parts.append(_posting(self.pages.get(term, ()), self.chunks.get(term, ())))
            if sum(map(len, parts)) >= BUCKET_BYTES:
                yield terms[0], _bucket(terms, parts)
                terms, parts = [], []
        if terms:
            yield terms[0], _bucket(terms, parts)

    def vocabulary(self) -> Mapping[str, dict[str, str]]:
        """Return words as typed, by first letter, for completions and typos."""
        letters: dict[str, list[str]] = {}
        for word in sorted(self.spellings):
            letters.setdefault(word[0] if "a" <= word[0] <= "z" else "", []).append(word)
        return {
            letter: {"words": "\n".join(words), "counts": packed_lengths(map(self.spellings.__getitem__, words))}
            for letter, words in letters.items()
        }


def _own_headings(record: Record) -> list[str]:
    """Return the headings in the text of a section, as in `stores/words/documents.py`."""
    return HEADING.findall(split_code(record.chunk.body.text)[0]) if record.chunk.kind == "section" else []


def packed_lengths(lengths: Iterable[int]) -> str:
    """Encode lengths as one character each, within 6 %."""
    steps = (min(round(_STEPS * math.log2(1 + length)), _MAX_LENGTH) for length in lengths)
    return "".join(chr(_FIRST_CHAR + step) for step in steps)


def _utf16(term: str) -> bytes:
    """Return a sort key with the order of JavaScript strings."""
    return term.encode("utf-16-be", "surrogatepass")


def _bucket(terms: list[str], parts: list[bytes]) -> bytes:
    names = "\n".join(terms).encode()
    return b"".join([_varints(len(names)), names, _varints(*map(len, parts)), *parts])


def _posting(pages: Iterable[tuple[int, ...]], chunks: Iterable[tuple[int, ...]]) -> bytes:
    """Encode the posting of a term: pages, then chunks; a chunk with the term once in its text is one number."""
    pages, previous = list(pages), 0
    numbers = [len(pages)]
    for page, title, links, path in pages:
        numbers += (page - previous, min(title, 7) << 7 | min(path, 7) << 4 | min(links, 15))
        previous = page
    chunks, previous = list(chunks), 0
    numbers.append(len(chunks))
    for chunk, body, headings, own in chunks:
        delta, previous = chunk - previous, chunk
        if headings or own:
            numbers += (delta << 2 | 2, body, headings << 3 | min(own, 7))
        else:
            numbers += (delta << 2,) if body == 1 else (delta << 2 | 1, body)
    return _varints(*numbers)


def _varints(*numbers: int) -> bytes:
    encoded = bytearray()
    for number in numbers:
        while number > 0x7F:
            encoded.append(number & 0x7F | 0x80)
            number >>= 7
        encoded.append(number)
    return bytes(encoded)
