"""Write the head of a static export, which every query reads (pages, sizes of chunks, names of files), and postings.

`clients/js/src/static/index.ts` reads these formats.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256

from searchsocket import __version__ as VERSION
from searchsocket.commit import COMMIT
from searchsocket.curation.rules import CurationRules, PageRule
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search import result_confidence
from searchsocket.search.ranking import confidence, names, signals
from searchsocket.search.ranking.boosts import browser_boosts
from searchsocket.search.ranking.signals import DATED_SHARE, LISTING_SHARE, is_dated_page, is_listing
from searchsocket.search.ranking.weights import EXPORT_ANSWER, WEIGHTS
from searchsocket.stores.base.index_reader import CatalogueSnapshot, ReadableRecord
from searchsocket.stores.words import evidence, keywords, product_names, vocabulary
from searchsocket.stores.words.bm25 import K1, B
from searchsocket.stores.words.documents import HEADING
from searchsocket.system.json_text import JsonObject
from searchsocket.text import words
from searchsocket.text.synonyms import Forms, make_synonyms
from searchsocket.text.words import index_words, spellings, split_code
from searchsocket.types import Generation, PageFacts, Record

FORMAT = 1
PIECE_CHARS = 4_000  # of text; a result reads one piece for its snippet
_BATCH = 500
_Write = Callable[[str, object], str]  # takes the kind of a file and its data; returns its name
# Shares of the words of a chunk and of its page. An export has no vectors (docs/static.md).
_FEW_WORDS, _MANY_WORDS = (0.4, 0.6), (0.25, 0.75)
# Weights of neighbouring words, a sentence, a second section and names. The server has vectors, and lower weights.
_NEIGHBOURS, _SENTENCE, _SECOND, _IN_NAME = 0.4, 0.6, 0.2, 0.2
_UNKNOWN_NEAR = 2.2  # nearness assumed by confidence: an answer here has most of the query's words on one page
_CANDIDATES = 100  # minimum of each list; more cost nothing here
# A lower share of a query's words is enough if enough of them are known and on one page. The server decides these
# queries by nearness. (share of known words, words on one page, share by rarity)
_ENOUGH = ((0.65, 2, 0.3), (1.0, 1, 0.5))
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
        for term in sorted(self.pages.keys() | self.chunks.keys(), key=_utf16_order):
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


def _utf16_order(term: str) -> bytes:
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


@dataclass(slots=True)
class _Columns:
    """Columns of pages and chunks, filled page by page."""

    postings: Postings = field(default_factory=Postings)
    pages: list[PageFacts] = field(default_factory=list)
    chunks: list[int] = field(default_factory=list)  # number of chunks of each page
    kinds: list[str] = field(default_factory=list)  # "0": a summary
    texts: list[tuple[int, str]] = field(default_factory=list)  # first chunk and file of each piece


def write_head(
    catalogue: CatalogueSnapshot,
    generation: Generation,
    settings: RankingSettings,
    curation: CurationRules,
    base: str,
    write: _Write,
) -> str:
    """Write all files of a generation except the entry; return the name of the head, which lists them.

    Args:
        base: Base path of the pages; the browser adds it, or the path where it finds the site.
    """
    columns = _Columns()
    for readable in _pages(catalogue):
        if readable[0].record.page.weight > 0:
            _add_page(columns, readable, write)
    postings = columns.postings
    buckets = [(first, write("words", data)) for first, data in postings.buckets()]
    letters = {letter: write("vocabulary", data) for letter, data in postings.vocabulary().items()}
    return write(
        "head",
        {
            "format": FORMAT,
            "generation": generation.name,
            "scope": generation.scope,
            "publishedAt": generation.published_at,
            "weights": weights(settings),
            "synonyms": _synonyms(settings, curation),
            "product": sorted(product_names.spellings_of(_home_title(columns.pages))),
            "rules": [exported_rule(rule, generation.aliases) for rule in curation.pages],
            "families": [asdict(family) for family in generation.versions],
            "pages": _page_columns(columns.pages, settings, base) | {"chunks": columns.chunks},
            "kinds": "".join(columns.kinds),
            "lengths": {name: packed_lengths(lengths) for name, lengths in postings.lengths.items()},
            "words": _file_list(buckets),
            "vocabulary": letters,
            "texts": _file_list(columns.texts),
        },
    )


def _home_title(pages: Sequence[PageFacts]) -> str:
    return next((page.title for page in pages if page.url == "/"), "")


def inputs_of(generation: Generation, settings: RankingSettings, curation: CurationRules, base: str) -> str:
    """A digest of everything that decides the files of `write_head`, besides the records of the generation."""
    rules = [exported_rule(rule, generation.aliases) for rule in curation.pages]
    values = [FORMAT, VERSION, COMMIT, generation.name, settings.model_dump(mode="json"), base, weights(settings)]
    text = json.dumps([*values, _synonyms(settings, curation), rules])
    return sha256(text.encode()).hexdigest()[:32]


def _pages(catalogue: CatalogueSnapshot) -> Iterator[list[ReadableRecord]]:
    """Yield the records of each page, in the order of equal scores."""
    ids, after = list[str](), ""
    while batch := catalogue.fingerprints(after, _BATCH):
        ids += (id_ for id_, _ in batch)
        after = ids[-1]
    order = catalogue.facts(ids).order
    ids = [ids[at] for at in order.argsort(kind="stable").tolist()]
    page: list[ReadableRecord] = []
    for start in range(0, len(ids), _BATCH):
        for readable in catalogue.readable(ids[start : start + _BATCH]):
            if page and page[0].record.page.url != readable.record.page.url:
                yield page
                page = []
            page.append(readable)
    if page:
        yield page


def _add_page(columns: _Columns, records: Sequence[ReadableRecord], write: _Write) -> None:
    first = len(columns.kinds)
    columns.postings.add(len(columns.pages), first, [readable.record for readable in records])
    columns.pages.append(records[0].record.page)
    columns.chunks.append(len(records))
    columns.kinds += ("0" if readable.record.chunk.kind == "summary" else "1" for readable in records)
    piece: list[list[object]] = []
    size, start = 0, first
    for number, readable in enumerate(records, first):
        if piece and size + len(readable.text.text) > PIECE_CHARS:
            columns.texts.append((start, write("text", piece)))
            piece, size, start = [], 0, number
        piece.append(_chunk(readable))
        size += len(readable.text.text)
    columns.texts.append((start, write("text", piece)))


def _chunk(readable: ReadableRecord) -> list[object]:
    """Return the parts of a chunk that results need."""
    at, text = readable.record.chunk.at, readable.text
    units = [text.text[start:end] for start, end in zip(text.starts, (*text.starts[1:], len(text.text)), strict=True)]
    openings = [[_utf16(text.text[: opening.start]), opening.anchor, opening.title] for opening in text.openings]
    return [
        text.text,
        [*map(_utf16, units)],
        text.kinds,
        at.title,
        at.anchor,
        list(at.heading_path),
        openings,
        readable.record.ref,
    ]


def _utf16(text: str) -> int:
    """Return the length of a text in JavaScript."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _page_columns(pages: Sequence[PageFacts], settings: RankingSettings, base: str) -> JsonObject:
    """Return facts of pages as columns; rare facts by the number of the page."""

    def sparse(value_of: Callable[[PageFacts], object], default: object) -> dict[int, object]:
        return {number: value for number, page in enumerate(pages) if (value := value_of(page)) != default}

    return {
        "url": [page.url for page in pages],
        "title": [page.title for page in pages],
        "language": _runs(page.language for page in pages),
        "boost": browser_boosts(pages, settings),
        "address": sparse(lambda page: _address_inside(page, base), ""),
        "tags": sparse(lambda page: page.tags, ()),
        "facets": sparse(lambda page: page.facets, ()),
        "weight": sparse(lambda page: page.weight, 1.0),
        "modified": sparse(lambda page: page.modified, ""),
        "listing": sparse(lambda page: LISTING_SHARE if settings.demote_listings and is_listing(page.url) else 1, 1),
        "occasion": sparse(lambda page: DATED_SHARE if settings.demote_occasions and is_dated_page(page.url) else 1, 1),
    }


def _address_inside(page: PageFacts, base: str) -> str:
    """The address of a page without the base path; "" if it is its URL."""
    address = page.address.removeprefix(base)
    return "" if address == page.url else address


def _runs(values: Iterable[str]) -> list[tuple[str, int]]:
    """Return runs of equal values, each with its length."""
    runs: list[tuple[str, int]] = []
    for value in values:
        if runs and runs[-1][0] == value:
            runs[-1] = (value, runs[-1][1] + 1)
        else:
            runs.append((value, 1))
    return runs


def _file_list(files: Sequence[tuple[object, str]]) -> JsonObject:
    return {"first": [first for first, _ in files], "files": [name for _, name in files]}


def _synonyms(
    settings: RankingSettings, curation: CurationRules
) -> list[tuple[Forms, tuple[Forms, ...]] | tuple[Forms, tuple[Forms, ...], str]]:
    """Return the synonyms of each entry, with the last day if the entry has one."""
    ends = [
        (typed, others, rule.until.isoformat() if rule.until else "")
        for rule in curation.synonyms
        for typed, others in make_synonyms([rule.words]).others_by_words.items()
    ]
    return [*make_synonyms(settings.synonyms).others_by_words.items(), *ends]


def exported_rule(rule: PageRule, aliases: Mapping[str, str]) -> JsonObject:
    """Return a rule of the owner as JSON for the browser; a pin has the current URL of a moved page."""
    pages = [aliases.get(page, page) for page in rule.pages] if rule.effect == "pin" else rule.pages
    return {
        "effect": rule.effect,
        "queries": rule.queries,
        "pages": pages,
        "factor": rule.factor,
        "until": rule.until.isoformat() if rule.until else "",
    }


def weights(settings: RankingSettings) -> JsonObject:
    """Return all values besides the index that determine the order of results."""
    return {
        "bm25": [K1, B],
        "fields": keywords.BOOSTS,
        "page": keywords.PAGE_BOOSTS,
        "terms": {
            "identifier": keywords._IDENTIFIER_BOOST,
            "part": keywords._PART_BOOST,
            "prefix": keywords._PREFIX_BOOST,
            "typo": keywords._TYPO_BOOST,
            "synonym": keywords._SYNONYM_BOOST,
            "joined": keywords._JOINED_BOOST,
            "completions": keywords._MAX_COMPLETIONS,
        },
        "common": [product_names.COMMON, product_names.COMMON_NAME],
        "shares": {"few": _FEW_WORDS, "many": _MANY_WORDS},
        "candidates": max(settings.candidate_k, _CANDIDATES),
        "neighbours": _NEIGHBOURS,
        "sentence": _SENTENCE,
        "begun": list(vocabulary.BEGUN),
        "second": _SECOND,
        "inName": _IN_NAME,
        "named": WEIGHTS.named,
        "version": WEIGHTS.version,
        "answer": {
            "rejectedBelow": EXPORT_ANSWER["refused_below"],
            "weakBelow": EXPORT_ANSWER["doubted_below"],
            "features": [{"name": name, "weight": weight} for name, weight in EXPORT_ANSWER["weights"].items()],
        },
        "exact": {
            "alone": WEIGHTS.only_word,
            "title": WEIGHTS.title,
            "heading": WEIGHTS.heading,
            "begunTitle": WEIGHTS.title_begun,
            "begunHeading": WEIGHTS.heading_begun,
            "among": WEIGHTS.identifiers,
            "nearly": vocabulary._NEARLY,
            "whole": names.WHOLE,
        },
        "evidence": {
            "share": confidence.MIN_SHARE,
            "prefix": evidence._MIN_EVIDENT_PREFIX,
            "part": evidence._MIN_EVIDENT_PART,
            "typo": evidence._MIN_EVIDENT_TYPO,
        },
        "enough": _ENOUGH,
        "confidence": list(confidence.WEIGHTS),
        "unknownNear": _UNKNOWN_NEAR,
        "weak": confidence.WEAK,
        "doubtful": result_confidence._DOUBTFUL,
        "asksForOccasion": signals._ASKS_FOR_DATED.pattern,
        "stopWords": words._STOP_WORD_LIST,
        "beforeNames": " ".join(sorted(words.BEFORE_NAMES)),
    }
