"""Word search in one generation. `stores/words` implements it for every store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from searchsocket.types import MATCH_ALL, Filter, Hit


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """Maximum evidence for a query on any single page, for each number independently."""

    share: float  # of the query's words, each weighted by its rarity among pages, in [0, 1]
    count: int  # different words
    indexed_share: float  # share of the query's words that any page contains, in [0, 1]; typos do not count
    query_words: int = 1  # words of the query that count
    missing: tuple[str, ...] = ()  # those of them that no page contains in any form, as typed


class Named(NamedTuple):
    """Match of a query with a name: 1 for the exact name, less for a prefix."""

    pages: list[Hit]  # by URL, for their titles
    records: list[Hit]  # for the headings in them


class Letters(NamedTuple):
    """A sequence of letters to find in a text."""

    letters: str  # 3 to 32 of them, folded
    is_word: bool = True  # no letter before or after it; False: it may be part of a longer word


class TermHit(NamedTuple):
    """A record that contains some of the requested terms."""

    id: str
    score: float
    terms: tuple[str, ...]  # those that it contains, in the order of the request


class WordSnapshot(Protocol):
    """Word search interface. Safe to share between threads."""

    def search(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` records that contain words of `text` and match `where`, best first; equals by rising id."""

    def search_pages(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` pages whose whole text contains words of `text`, by URL, best first; equals in path order.

        A page is one document here, so its length counts, and words may be far apart. Phrases count as words.
        Path order is that of `urls.sort_key`.
        """

    def named(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> Named:
        """At most `top_k` pages and records whose name is `text` or, for unfinished typing, starts with it.

        Case, punctuation, a bracketed suffix and the site's name as a prefix are ignored.
        """

    def neighbours(self, text: str, ids: Sequence[str]) -> list[float]:
        """For each record, the share of adjacent word pairs of `text` that are adjacent in a field, in [0, 1].

        Stop words do not count, and one word may be between the two. 0 if `text` has no pair.
        """

    def together(self, text: str, ids: Sequence[str]) -> list[float]:
        """For each record, the share of the words of `text` that it contains, in [0, 1]; rare words weigh more.

        Words count as typed, with any ending. Typos, synonyms and stop words do not count.
        """

    def corrected(self, text: str) -> str:
        """Correct `text` to the name of a page or section within two typos, and remove the product's name.

        The product's name is a word of nearly all pages. It is kept if the name of a page or section contains it.
        """

    def pages_with(self, letters: Sequence[Letters], *, where: Filter = MATCH_ALL) -> list[str]:
        """The URLs of all pages, in path order, that contain all the letters and a record that matches `where`.

        The result may contain other pages too, so the caller checks their text. Pages of weight 0 are excluded.
        """

    def rarities(self, text: str) -> dict[str, float]:
        """Rarity of each word of `text` among pages, by its exact form; higher is rarer.

        BM25's inverse document frequency. A word that no page contains has the highest.
        """

    def holding(self, alternatives: Sequence[Sequence[str]], *, where: Filter = MATCH_ALL) -> list[str]:
        """The ids of all records, in path order, whose text has every token of one of the alternatives.

        Tokens are those of `text.exact`, and no text is read. Without alternatives, or if one has no token, all records
        that match `where`. Records of weight 0 are excluded.
        """

    def by_rarity(self, terms: Sequence[str], *, top_k: int) -> list[TermHit]:
        """At most `top_k` records that contain any of the terms, by the sum of term weights; equals by rising id.

        A term weighs log(1 + N/df): df of N records contain it, in any field. Forms are those of `index_words`.
        """

    def evidence(self, text: str) -> WordEvidence:
        """Evidence of the best page for a query; stop words count only if there are no other words.

        A word counts by the first of these rules that applies:
        - The page contains it in any form.
        - It is the last word, has three letters or more, and is a prefix of a word on the page.
        - The page contains all its parts.
        - It has six letters or more and is a likely typo of a word on the page.
        - The page contains some of its four-letter parts; the word counts by their share.

        A single letter counts only if the query has nothing longer.
        """
