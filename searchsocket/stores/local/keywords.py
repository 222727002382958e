"""The words of a generation, in tantivy: which records hold the words of a query, by BM25."""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy
from tantivy import Occur, Query

from searchsocket.stores.local.layout import WORDS
from searchsocket.stores.local.records import clean
from searchsocket.types import Filter
from searchsocket.typos import allowed_edits, nearest
from searchsocket.urls import ancestors
from searchsocket.words import ParsedQuery, QueryWord, index_text, parse_query, plain_words, split_code, stem

# What a word is worth where it stands.
BOOSTS = {"title": 3.0, "headings": 2.0, "links": 1.5, "path": 1.0, "body": 1.0, "code": 0.7}
_IDENTIFIER_BOOST = 2.0  # who types one means that one
_PART_BOOST = 0.3  # of a part of an identifier beside the whole one
_PREFIX_BOOST = 0.5  # of a word that begins with the one being typed
_TYPO_BOOST = 0.8  # of a word that the typed one was meant to be
_MAX_COMPLETIONS = 12
_MIN_PREFIX_CHARS = 2
_TIES = 1e-4  # sums of floats in another order differ less than this
_DIGITS = 4
_HEAP_BYTES = 64_000_000
_MAX_TOKEN_CHARS = 200

_COLUMNS = "doc, weight, title, heading_path, link_texts, text, url, tags"


def schema() -> tantivy.Schema:
    """Fields of word lists, of whole tokens for filters, and the number that records.db knows the record by."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("doc", indexed=True, fast=True)
    for name in BOOSTS:
        builder.add_text_field(name, tokenizer_name="whitespace")
    builder.add_text_field("plain", tokenizer_name="whitespace", index_option="basic")  # a vocabulary, never scored
    for name in ("dirs", "tags"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def create_words(folder: Path) -> None:
    """An empty index of words."""
    folder.mkdir()
    tantivy.Index(schema(), str(folder), reuse=False)


def link_words(source: Path, target: Path) -> None:
    """Take over all segments by hard links: they never change, and the two small files that do are copied."""
    target.mkdir()
    for entry in sorted(os.scandir(source), key=lambda entry: entry.name):
        if entry.name.endswith(".lock"):
            continue
        if entry.name in ("meta.json", ".managed.json"):
            shutil.copyfile(entry.path, target / entry.name)
            continue
        try:
            os.link(entry.path, target / entry.name)
        except OSError:  # a file system without hard links
            shutil.copyfile(entry.path, target / entry.name)


def dead_share(folder: Path) -> float:
    """Deleted documents that segments still carry, as a share of the living; they cost space and skew BM25.

    Raises:
        ValueError, TypeError, KeyError: The file is damaged.
    """
    segments = json.loads((folder / "meta.json").read_bytes())["segments"]
    dead = sum(int((segment["deletes"] or {}).get("num_deleted_docs", 0)) for segment in segments)
    alive = sum(int(segment["max_doc"]) for segment in segments) - dead
    return dead / max(alive, 1)


def update_words(folder: Path, connection: sqlite3.Connection, removed: list[int], after_doc: int) -> None:
    """Delete the `removed` documents and add the records above `after_doc`.

    Raises:
        ValueError: tantivy cannot write.
    """
    index = tantivy.Index.open(str(folder))
    writer = index.writer(_HEAP_BYTES, 1)
    if removed:
        # Deletion by term takes every number for a signed one, and then matches nothing in an unsigned field.
        writer.delete_documents_by_query(Query.term_set_query(index.schema, "doc", removed))
    for row in connection.execute(f"SELECT {_COLUMNS} FROM records WHERE doc > ? ORDER BY doc", (after_doc,)):
        writer.add_document(_document(*row))
    writer.commit()
    writer.wait_merging_threads()
    for lock in folder.glob("*.lock"):
        lock.unlink()


def _document(
    doc: int, weight: float, title: str, headings: str, links: str, text: str, url: str, tags: str
) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned("doc", doc)
    if weight <= 0:
        return document  # counted, but never found
    body, code = split_code(text)
    values = {
        "title": title,
        "headings": "\n".join(json.loads(headings)),
        "links": "\n".join(json.loads(links)),
        "path": url.replace("/", " "),
        "body": body,
        "code": code,
    }
    for name, value in values.items():
        if value:
            document.add_text(name, index_text(value))
    document.add_text("plain", " ".join(plain_words("\n".join(values.values()))))
    for path in ancestors(url):
        document.add_text("dirs", _token(path))
    for tag in json.loads(tags):
        document.add_text("tags", _token(tag))
    return document


def _token(value: str) -> str:
    return value if len(value) <= _MAX_TOKEN_CHARS else hashlib.sha256(value.encode()).hexdigest()


class Words:
    """The words of one generation, open for queries; safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        """Raises: ValueError, OSError when files are missing or damaged."""
        if os.access(folder, os.W_OK):
            self._open(folder)
        else:
            # tantivy locks a folder even to read it, so it gets one of its own that names the same files.
            with TemporaryDirectory(prefix="searchsocket-words-") as view:
                for path in folder.resolve().iterdir():
                    if path.suffix != ".lock":
                        (Path(view) / path.name).symlink_to(path)
                self._open(Path(view))  # which holds all files open from here on

    def _open(self, folder: Path) -> None:
        self._index = tantivy.Index.open(str(folder))
        self._index.config_reader("manual")  # a generation never changes: no thread that watches it
        self._index.reload()
        self._searcher = self._index.searcher()
        self._schema = self._index.schema

    @property
    def count(self) -> int:
        """Documents, the hidden ones included."""
        return int(self._searcher.num_docs)

    def holds(self, docs: list[int]) -> bool:
        """Whether every one of these distinct numbers belongs to a document."""
        query = Query.term_set_query(self._schema, "doc", docs)
        return len(self._searcher.search(query, limit=len(docs), count=False).hits) == len(docs)

    def _docs(self, hits: list[tuple[float, tantivy.DocAddress]]) -> list[int]:
        # Every document has a number: one without would be damage, which the sizes and hashes find.
        values = self._searcher.fast_field_values("doc", [address for _, address in hits])
        return [int(value) for value in values if value is not None]

    def search(self, text: str, where: Filter, top_k: int) -> list[tuple[int, float]]:
        """At least the `top_k` best as (doc, score) by falling score, and all that tie with the last one."""
        matching = self._query(parse_query(clean(text)))
        if matching is None or top_k < 1:
            return []
        query = self._filtered(matching, where)
        limit = top_k + 32
        while True:
            hits = self._searcher.search(query, limit=limit, count=False).hits
            # tantivy orders equals by where they lie, which another build changes: take all of them in.
            if len(hits) < limit or hits[-1][0] < hits[top_k - 1][0] - _TIES:
                break
            limit *= 4
        return [(doc, round(float(score), _DIGITS)) for doc, (score, _) in zip(self._docs(hits), hits, strict=True)]

    def _filtered(self, matching: Query, where: Filter) -> Query:
        clauses = [("dirs", where.path_prefix)] if where.path_prefix else []
        clauses += [("tags", clean(tag)) for tag in where.tags]
        musts = [
            (Occur.Must, Query.const_score_query(Query.term_query(self._schema, field, _token(value)), 0.0))
            for field, value in clauses
        ]
        return Query.boolean_query([(Occur.Must, matching), *musts]) if musts else matching

    def _query(self, parsed: ParsedQuery) -> Query | None:
        words = [word for word in parsed.words if not word.is_stop] or list(parsed.words)
        if not words:
            return None
        should: list[tuple[Occur, Query]] = []
        for word in words:
            is_open = parsed.open_ended and word is parsed.words[-1]
            should += [(Occur.Should, clause) for clause in self._word_clauses(word, is_open)]
        musts = [
            (Occur.Must, Query.boolean_query([(Occur.Should, self._phrase(name, phrase)) for name in BOOSTS]))
            for phrase in parsed.phrases
        ]
        if not musts:
            return Query.boolean_query(should) if should else None
        return Query.boolean_query([*musts, *should])

    def _phrase(self, field: str, phrase: Sequence[str]) -> Query:
        return Query.boost_query(Query.phrase_query(self._schema, field, list(phrase)), BOOSTS[field])

    def _word_clauses(self, word: QueryWord, is_open: bool) -> list[Query]:
        """What one word of the query looks for: its own forms and parts, completions, else what it was meant to be."""
        is_identifier = not word.stem
        forms = [form for form in dict.fromkeys((word.exact, word.stem)) if form]
        found = self._all_terms(forms, _IDENTIFIER_BOOST if is_identifier else 1.0)
        if is_open:
            found += self._all_terms([form for form in self._completions(word) if form not in forms], _PREFIX_BOOST)
        found += self._all_terms([part for part in word.parts if part not in forms], _PART_BOOST)
        return found or self._all_terms(self._corrections(word), _TYPO_BOOST)

    def _all_terms(self, terms: Iterable[str], boost: float) -> list[Query]:
        return [clause for term in terms for clause in self._terms(term, boost)]

    def _terms(self, term: str, boost: float) -> list[Query]:
        """The term in every field that holds it anywhere."""
        return [
            Query.boost_query(Query.term_query(self._schema, field, term, "freq"), weight * boost)
            for field, weight in BOOSTS.items()
            if self._searcher.doc_freq(field, term)
        ]

    def _completions(self, word: QueryWord) -> list[str]:
        """The most frequent words that begin with the one being typed, as documents keep them."""
        if len(word.exact) < _MIN_PREFIX_CHARS and word.exact.isascii():
            return []
        counts: dict[str, int] = {}
        for field in ("plain",) if word.stem else BOOSTS:
            for term, count in self._searcher.terms_with_prefix(field, word.exact, limit=_MAX_COMPLETIONS):
                counts[term] = counts.get(term, 0) + int(count)
        best = sorted(counts, key=lambda term: (-counts[term], term))[:_MAX_COMPLETIONS]
        return _kept_forms(best) if word.stem else best

    def _corrections(self, word: QueryWord) -> list[str]:
        """What a word that no document holds was meant to be; its first letter is taken to be right."""
        if not word.stem or not allowed_edits(word.exact):
            return []
        return _kept_forms(nearest(word.exact, self._searcher.terms_with_prefix("plain", word.exact[0])))


def _kept_forms(plain: Iterable[str]) -> list[str]:
    """The forms in which fields hold words of the vocabulary: as the whole of an identifier, or as a stem."""
    return list(dict.fromkeys(form for word in plain for form in (word, stem(word))))


def open_words(generation: Path) -> Words:
    """The words of a generation's folder."""
    return Words(generation / WORDS)
