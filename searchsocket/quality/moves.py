"""Find golden queries whose rank differs between two generations, with the reasons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from searchsocket.quality.replies import GoldenResult, GoldenResults
from searchsocket.search.answer import Explanation

_PARTS = ("vector", "keyword", "page", "second", "links", "depth", "exact", "weight", "rerank")
_LEAST = 0.005  # smallest change of a part that counts
_MAX_PARTS = 3  # in a reason
_WORDS = {"vector": "meaning", "keyword": "words", "page": "words of the page", "second": "second section"}


@dataclass(frozen=True, slots=True)
class Move:
    """A golden query whose first expected place moved, appeared or disappeared."""

    query: str
    place: str  # the first expected one that is among the results
    before: int  # its rank, from 1; 0: not found
    after: int
    why: str
    first: str  # page of the first result now

    @property
    def is_worse(self) -> bool:
        return self.before != 0 and (self.after == 0 or self.after > self.before)


def moves(before: Sequence[GoldenResults], after: Sequence[GoldenResults]) -> list[Move]:
    """Return the moves of queries in both lists, the worse ones first, then in the order of the file."""
    earlier = {reply.golden: reply for reply in before}
    pairs = [(earlier[reply.golden], reply) for reply in after if reply.golden in earlier]
    changed = [_move(old, new) for old, new in pairs if old.rank != new.rank]
    return sorted(changed, key=lambda move: not move.is_worse)


def _move(old: GoldenResults, new: GoldenResults) -> Move:
    then, now = _at(old), _at(new)
    place = next((place for place in new.places if place), next((place for place in old.places if place), ""))
    first = new.results[0].url if new.results else ""
    return Move(new.golden.query, place, old.rank, new.rank, _why(then, now, new), first)


def _at(reply: GoldenResults) -> GoldenResult | None:
    return reply.results[reply.rank - 1] if reply.rank else None


def _why(then: GoldenResult | None, now: GoldenResult | None, new: GoldenResults) -> str:
    """Return the change of the score parts, then the result that is now first."""
    words: list[str] = []
    if now is None:
        words.append("no longer found" if new.results else "no results any more")
    elif then is None:
        words.append("found now")
    elif then.parts and now.parts:
        words += _changes(then.parts, now.parts)
        if then.parts.cosine == now.parts.cosine and then.parts.bm25 == now.parts.bm25:
            words.append("the page itself is as near as before")
    if new.rank != 1 and new.results:
        top = new.results[0]
        words.append(f"{top.url} is first with {top.score:.3f}" + (f" against {now.score:.3f}" if now else ""))
    return "; ".join(words)


def _changes(then: Explanation, now: Explanation) -> Iterator[str]:
    """Yield the parts of the score that changed most."""
    values = [(name, getattr(then, name) or 0, getattr(now, name) or 0) for name in _PARTS]
    changes = [(name, old, new) for name, old, new in values if abs(new - old) >= _LEAST]
    for name, old, new in sorted(changes, key=lambda change: -abs(change[2] - change[1]))[:_MAX_PARTS]:
        yield f"{_WORDS.get(name, name)} {old:.2f} → {new:.2f}"
