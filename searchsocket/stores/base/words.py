"""The words of one generation, as a query sees them; `stores/words` has them for every store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from searchsocket.types import MATCH_ALL, Filter, Hit


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """Maximum evidence for a query on any single page; each number on its own."""

    share: float  # of its words, each weighed by how rare it is among pages, in [0, 1]
    count: int  # different words
    known: float  # share of its words that are there at all, on whatever pages, in [0, 1]; slips do not count
    asked: int = 1  # words of the query that count
    missing: tuple[str, ...] = ()  # those of them that no page holds in any form, as they are typed


class Named(NamedTuple):
    """Match of a query with a name: 1 for the exact name, less for a prefix."""

    pages: list[Hit]  # by URL, for their titles
    records: list[Hit]  # for the headings in them


class Letters(NamedTuple):
    """Letters that stand in a text."""

    letters: str  # 3 to 32 of them, folded
    is_word: bool = True  # what stands before and behind is no letter; else they may be a part of a longer word


class TermHit(NamedTuple):
    """A record that holds some of the terms that were asked for."""

    id: str
    score: float
    terms: tuple[str, ...]  # those that it holds, in the order in which they were asked for


class WordSnapshot(Protocol):
    """Safe to share between threads."""

    def search(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` records that hold words of `text` and match `where`, best first; equals by rising id."""

    def search_pages(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` pages whose whole text holds words of `text`, by URL, best first; equals in path order.

        A page is one document here, so its length counts, and words may stand far apart; phrases count as words.
        Path order is that of `urls.sort_key`.
        """

    def named(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> Named:
        """At most `top_k` pages and records that are called `text`, or, while that is still being typed, begin so.

        Case and punctuation make no difference, nor what stands in brackets behind or of the site in front.
        """

    def neighbours(self, text: str, ids: Sequence[str]) -> list[float]:
        """Of each record how many of the pairs of neighbouring words of `text` stand so in a field, in [0, 1].

        Stop words do not count, and one word may stand between the two; 0 where `text` has no pair.
        """

    def together(self, text: str, ids: Sequence[str]) -> list[float]:
        """Of each record the share of the words of `text` that it says, rare ones counting more, in [0, 1].

        Words count as they are typed, in whatever ending; slips, synonyms and stop words do not. Where many records say
        some of it, those that say less than the best 250 are taken to say as much as the last of these.
        """

    def meant(self, text: str) -> str:
        """Correct `text` to the name of a page or section within two typos, and leave out the product's name.

        That is a word of nearly all pages. It stays where a name of a page or section contains it.
        """

    def pages_with(self, letters: Sequence[Letters], *, where: Filter = MATCH_ALL) -> list[str]:
        """The URLs of all pages, in path order, that hold each of the letters and a record that matches `where`.

        There may be others among them: whoever looks for a text reads them. Pages of weight 0 are not.
        """

    def rarities(self, text: str) -> dict[str, float]:
        """Rarity of each word of `text` among pages, by its exact form; higher is rarer.

        BM25's inverse document frequency; that of a word which no page holds is the greatest.
        """

    def holding(self, alternatives: Sequence[Sequence[str]], *, where: Filter = MATCH_ALL) -> list[str]:
        """The ids of all records, in path order, whose text has every token of one of the alternatives.

        Tokens are those of `text.exact`, and no text is read. Without alternatives, and where one has no token, all
        that match `where`; records of weight 0 are never among them.
        """

    def by_rarity(self, terms: Sequence[str], *, top_k: int) -> list[TermHit]:
        """At most `top_k` records that hold any of the terms, by what these are worth together; equals by rising id.

        A term is worth log(1 + N/df): of N records df hold it, in whatever field. Forms are those of `index_text`.
        """

    def evidence(self, text: str) -> WordEvidence:
        """Evidence of the best page for a query; stop words count only if there are no other words.

        A word counts when it is there in any of its forms; else, from three letters, when it is the last and begins one
        that is; else when all its parts are there; else, from six letters, when it is a likely slip of one that is;
        else, by the share of them, when parts of four letters are there. A letter alone counts only where there is
        nothing longer.
        """
