"""Read a reply as it arrives, and let through the sentences that the passages support."""

from collections.abc import Iterator, Mapping, Sequence

from searchsocket.extensions.answers import proof
from searchsocket.extensions.answers.answer import (
    AnswerCitation,
    AnswerEnd,
    AnswerRefusal,
    AnswerSentence,
    AnswerSource,
    Event,
    NearestPage,
    Reason,
    TokenCounts,
)
from searchsocket.extensions.answers.model import Reply, Usage
from searchsocket.extensions.answers.pieces import Piece, PieceReader, sentences_of, without_unsafe_markup
from searchsocket.extensions.answers.prompt import NOT_COVERED
from searchsocket.extensions.answers.proof import Passage, Proof, prove, without_yes_or_no

_LEAST_SHARE = 1 / 3  # of the sentences that passages support; an answer with fewer is refused
_MESSAGES: Mapping[Reason, str] = {
    "not_covered": "the documentation does not cover this question",
    "unsupported": "no reliable answer: the documentation does not support what the model wrote",
    "model": "the language model is not available now",
    "budget": "the limit for answers is reached; try again later",
    "busy": "another answer is being written; try again when it is done",
}
_NO_TOKENS = TokenCounts()


def refusal_event(
    reason: Reason, pages: tuple[NearestPage, ...], dropped: int = 0, tokens: TokenCounts = _NO_TOKENS
) -> Event:
    """Return the event that ends an answer without one."""
    return Event("refused", AnswerRefusal(reason, _MESSAGES[reason], pages, dropped, tokens))


class Writing:
    """One answer of the model."""

    def __init__(self, passages: Sequence[AnswerSource], pages: tuple[NearestPage, ...]) -> None:
        self._sources = {passage.number: passage for passage in passages}
        self._passages = [
            Passage(passage.number, f"{passage.title}\n{passage.section}", passage.text) for passage in passages
        ]
        self._pages = pages
        self._cited: set[int] = set()
        self._texts: set[str] = set()
        self._sentences = self._dropped = 0
        self._is_refused = False  # by the model

    def end(self, used: Usage, *, is_failed: bool) -> Event:
        """Return the last event."""
        tokens = TokenCounts(used.prompt, used.completion)
        if not self._sentences and (self._is_refused or is_failed):
            reason: Reason = "not_covered" if self._is_refused else "model"
        elif not self._sentences or self._sentences < _LEAST_SHARE * (self._sentences + self._dropped):
            reason = "unsupported"
        else:
            return Event("done", AnswerEnd(self._sentences, self._dropped, False, tokens))
        return refusal_event(reason, self._pages, self._dropped, tokens)

    def read(self, reply: Reply) -> Iterator[Event]:
        """Yield the events of a reply as it arrives; raises as `Reply`."""
        reader = PieceReader()
        for text in reply:
            for piece in reader.feed(text):
                yield from self._shown(piece)
        if reply.finish == "stop":  # otherwise the last sentence is not complete
            for piece in reader.close():
                yield from self._shown(piece)

    def _shown(self, piece: Piece) -> Iterator[Event]:
        """Yield the events of a piece that the passages support."""
        if piece.kind == "code":
            yield from self._code(piece)
            return
        if NOT_COVERED in piece.text:
            self._is_refused = True
            return
        texts: list[str] = []
        proofs: list[Proof] = []
        for sentence in sentences_of(piece) if piece.kind == "item" else [piece]:
            addresses = {each.url for each in self._sources.values() if each.url}
            text = without_unsafe_markup(without_yes_or_no(sentence.text), addresses)
            if text in self._texts:  # a small model may repeat itself without end
                continue
            if text:
                self._texts.add(text)
            found = prove(text, sentence.citations, self._passages) if text else Proof(reason="unsafe")
            if text and found.citations:
                texts.append(text)
                proofs.append(found)
            elif found.reason != proof.EMPTY:
                self._dropped += 1
        if texts:
            citations = tuple(sorted({number for each in proofs for number in each.citations}))
            quotes = {number: quote for each in reversed(proofs) for number, quote in each.quotes.items()}
            yield from self._citations(quotes)
            own = tuple(quotes[number] for number in citations)
            yield self._sentence(AnswerSentence(" ".join(texts), citations, piece.kind, True, piece.paragraph, own))

    def _code(self, piece: Piece) -> Iterator[Event]:
        """A code block is quoted, or marked; one with an address that is on no page is dropped."""
        numbers = proof.quoting(piece.text, self._passages)[:1]
        if not numbers and proof.has_foreign_address(piece.text, self._passages):
            self._dropped += 1
            return
        quotes = dict.fromkeys(numbers, piece.text)
        yield from self._citations(quotes)
        sentence = AnswerSentence(
            piece.text, tuple(numbers), "code", bool(numbers), piece.paragraph, tuple(quotes.values())
        )
        yield self._sentence(sentence)

    def _sentence(self, sentence: AnswerSentence) -> Event:
        self._sentences += sentence.quoted  # code of the model's own is no answer
        return Event("sentence", sentence)

    def _citations(self, quotes: Mapping[int, str]) -> Iterator[Event]:
        for number, quote in sorted(quotes.items()):
            if number not in self._cited:
                self._cited.add(number)
                source = self._sources[number]
                yield Event("citation", AnswerCitation(number, source.title, source.section, source.url, quote))
