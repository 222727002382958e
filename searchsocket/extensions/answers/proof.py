"""Decide if passages support a sentence, without a model.

A sentence is cut into clauses. A passage supports a clause if three of its neighbouring sentences or lines

- contain all its literals: code, flags, names of files and identifiers, addresses, numbers with their units, and names,
- contain enough of its other words, or words that mean the same,
- and their best match has no other negation, no opposite word, and no other word in the place of one.

A passage with a clause in the same words that says something else denies a sentence that other passages support.

Normalisation: white space and quotation marks are alike; `()` after a name and `/` after an address are left out;
between the words of code, `=`, `:` and `|` count as spaces; `1,000` is `1000`, `v2` is `2`, and `three` is `3`; units
are compared by meaning (`30s` is `30 seconds`); names and words with a digit may differ in case.

Not detected: a wrong relation between right words ("A calls B" for "B calls A"), and what a sentence leaves out.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain

from searchsocket.extensions.answers.clauses import (
    CLOSING,
    NEGATION,
    NUMBER_WORDS,
    QUOTES,
    UNITS,
    WORD,
    Anchor,
    Clause,
    address_of,
    anchors_of,
    clauses_of,
    forms_of,
    is_similar,
    number_of,
    opposites,
    split_clauses,
)
from searchsocket.extensions.answers.pieces import plain_text
from searchsocket.text.words import index_words

EMPTY = "empty"  # the reason of a sentence that claims nothing
ENOUGH = 0.9  # share of a sentence's words that its passages support; `python -m bench.answers --calibrate`
ENOUGH_NEAR = 0.6  # share of a clause's words near its literals
_SAME_CREDIT = 0.8
_LEAST_QUOTE = 15  # characters of a sentence that is quoted as it is
_CLOSE = 0.75  # share of a clause's words and literals in a clause of the passage that says the same
_WINDOW = 3  # neighbouring sentences or lines

_UNIT_END = re.compile(
    r"\n+|(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<=[.!?])[\"')\]]*\s+|(?<=[。！？])", re.IGNORECASE
)
_NUMBER_IN_TEXT = re.compile(r"(?<![\w.])([$€£])?[vV]?(\d+(?:[.,:]\d+)*)(?:[ \u00a0-]?(%|[A-Za-zµ]+))?")
_ADDRESS_IN_TEXT = re.compile(r"(?:[a-z][a-z0-9+.-]*://|\bwww\.)[^\s\"'<>`)]+", re.IGNORECASE)
_CODE_JOINT = r"[\s=:|\"']{1,6}"

_UNIT_SUFFIX = re.compile(r"_(s|ms|min|kb|mb|gb|usd|px|days|hours)\b")
_YES_OR_NO = re.compile(r"^\W*(?:yes|no|ja|nein|oui|non|sí)\b\W*[,.!:;–—-]\W*", re.IGNORECASE)
_NO_NEGATION = re.compile(r"\bnot only\b|\bor not\b|\bno matter\b|\bno\.\s?\d|\bno,\s", re.IGNORECASE)
_GERMAN_LIST = "der die das und ist nicht ein eine einen mit von zu den dem des auf für wird im er sie es"
_GERMAN = frozenset(_GERMAN_LIST.split())
_GERMAN_SHARE, _LEAST_GERMAN = 0.12, 8  # words
_ONLY = re.compile(r"(?<!\bnot )\b(?:only|solely|exclusively|just|nur)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Proof:
    """The passages that support a sentence.

    Attributes:
        citations: Their numbers, rising; empty if the sentence is not supported.
        quotes: Number of a passage -> its part that supports the sentence.
        reason: The reason why it is not supported; "" if it is, `EMPTY` if it claims nothing.
        share: Share of the words that the best passage supports, in [0, 1].
    """

    citations: tuple[int, ...] = ()
    quotes: Mapping[int, str] = field(default_factory=dict)
    reason: str = ""
    share: float = 0.0


@dataclass(frozen=True)
class Text:
    """A text with the forms that are compared; made once."""

    text: str

    @cached_property
    def literal(self) -> str:
        return " ".join(self.text.translate(QUOTES).split())

    @cached_property
    def folded(self) -> str:
        return self.literal.casefold()

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(index_words(self.literal.replace("/", " ").replace("_", " "))) | frozenset(
            index_words(self.text)
        )

    @cached_property
    def plain_words(self) -> frozenset[str]:
        return frozenset(WORD.findall(self.folded))

    @cached_property
    def numbers(self) -> Mapping[str, frozenset[str]]:
        """Each number with its units; "" is none."""
        units: dict[str, set[str]] = {}
        for currency, number, unit in _NUMBER_IN_TEXT.findall(self.literal):
            units.setdefault(number_of(number), set()).add(UNITS.get((currency or unit).lower(), ""))
        words = self.folded.split()
        for word, following in zip(words, [*words[1:], ""], strict=False):
            for part in (word.strip(CLOSING), word.partition("-")[0]):
                if part in NUMBER_WORDS:
                    unit = following if part == word else word.partition("-")[2] or following
                    units.setdefault(NUMBER_WORDS[part], set()).add(UNITS.get(unit.strip(CLOSING), ""))
        return {number: frozenset(each) for number, each in units.items()}

    def has_as_often(self, numbers: Sequence[str]) -> bool:
        """Return True unless one of the digits is repeated more often in `numbers` than here."""
        own = [number_of(number) for _, number, _ in _NUMBER_IN_TEXT.findall(self.literal)]
        return all(numbers.count(number) < 2 or numbers.count(number) <= own.count(number) for number in numbers)

    @cached_property
    def units(self) -> frozenset[str]:
        """The units that the text names, with or without a number."""
        named = (UNITS.get(word, "") for word in self.folded.replace("%", " % ").split())
        return frozenset(chain(named, (UNITS.get(suffix, "") for suffix in _UNIT_SUFFIX.findall(self.folded))))

    @cached_property
    def clauses(self) -> Sequence["Text"]:
        return [Text(part) for part in split_clauses(self.literal)]

    @cached_property
    def has_names(self) -> bool:
        return any(anchor.kind == "name" for anchor in anchors_of(self.literal, (), "", has_names=True))

    @cached_property
    def is_negative(self) -> bool:
        return is_negative(self.literal)


class Passage:
    """A passage, prepared for comparison.

    Args:
        number: As the model cites it.
        heading: Title of the page and of the section.
    """

    def __init__(self, number: int, heading: str, text: str) -> None:
        self.number = number
        self.text = text
        self.heading = heading
        units = [unit.strip() for unit in _UNIT_END.split(text) if unit and unit.strip()]
        self.units = [Text(unit) for unit in units]
        self.whole = Text(f"{heading}\n{text}")
        # Windows begin at each unit; short ones too, so that a match is as narrow as it can be.
        self.windows = [
            (units[at : at + size], Text("\n".join([heading, *units[at : at + size]])))
            for size in range(1, _WINDOW + 1)
            for at in range(max(len(units) - size + 1, 0))
        ]

    @cached_property
    def clauses(self) -> Sequence[Text]:
        return [clause for unit in self.units for clause in unit.clauses]

    @cached_property
    def lines(self) -> Sequence[str]:
        return [line for line in map(_code_line, self.text.split("\n")) if line]

    @cached_property
    def is_german(self) -> bool:
        """Return True for German, which writes all nouns with a capital letter."""
        words = self.whole.folded.split()
        return len(words) >= _LEAST_GERMAN and sum(word in _GERMAN for word in words) > _GERMAN_SHARE * len(words)


def prove(
    sentence: str, cited: Sequence[int], passages: Sequence[Passage], enough: float = ENOUGH, near: float = ENOUGH_NEAR
) -> Proof:
    """Find the passages that support a sentence: one alone, or else several of the cited ones.

    Args:
        sentence: In the Markdown of `markup`.
        cited: Numbers of passages that the model cites; the first choice.
    """
    is_german = any(passage.is_german for passage in passages)
    known = frozenset(chain.from_iterable(passage.whole.literal.split() for passage in passages))
    clauses = clauses_of(sentence, known, has_names=not is_german)
    words = tuple(chain.from_iterable(clause.words for clause in clauses))
    if not words and not any(clause.anchors for clause in clauses):
        return Proof(reason=EMPTY)
    by_number = {passage.number: passage for passage in passages}
    literal = Text(plain_text(sentence)).literal
    for passage in (*(by_number[number] for number in cited if number in by_number), *passages):
        if len(literal) >= _LEAST_QUOTE and literal in passage.whole.literal:
            return Proof((passage.number,), {passage.number: sentence}, "", 1.0)
    first = [by_number[number] for number in cited if number in by_number]
    proofs = [_proof(clauses, words, [passage], enough, near) for passage in (*first, *passages)]
    best = max((proof for proof in proofs[: len(first)] if not proof.reason), key=_share, default=None)
    if best is None:
        together = [_proof(clauses, words, first, enough, near)] if len(first) > 1 else []
        successes = [proof for proof in (*together, *proofs) if not proof.reason]
        failure = max((*together, *proofs), key=_share, default=Proof(reason="no passage"))
        best = max(successes, key=_share, default=failure)
    return best if best.reason else _denied(clauses, best, by_number) or best


def _denied(clauses: Sequence[Clause], proof: Proof, passages: Mapping[int, Passage]) -> Proof | None:
    """Return the reason if a passage has a clause in the same words that says something else than the sentence.

    The passages that support the sentence have no clause with as many of them.
    """
    for clause in clauses:
        forms = len(clause.words) + len(clause.anchors)
        if max(_most_in_common(clause, passages[number]) for number in proof.citations) >= forms:
            continue
        others = (passage for number, passage in passages.items() if number not in proof.citations)
        equal = (passage for passage in others if _most_in_common(clause, passage) >= forms)
        if found := next(filter(None, (_contradiction(clause, passage) for passage in equal)), None):
            return found
    return None


def _most_in_common(clause: Clause, passage: Passage) -> float:
    return max((_overlap(clause, source)[0] for source in passage.clauses), default=0.0)


def quoting(code: str, passages: Sequence[Passage]) -> list[int]:
    """Return the numbers of the passages that contain a code block: its lines, in their order."""
    lines = [line for line in map(_code_line, code.split("\n")) if line]
    if not lines:
        return []
    size = len(lines)
    return [
        passage.number
        for passage in passages
        if any(passage.lines[at : at + size] == lines for at in range(len(passage.lines) - size + 1))
    ]


def has_foreign_address(code: str, passages: Sequence[Passage]) -> bool:
    """Return True if a code block has an address that no passage contains."""
    found = {address_of(match[0]) for match in _ADDRESS_IN_TEXT.finditer(code)}
    return not all(any(has_literal(passage.whole.literal, address) for passage in passages) for address in found)


def without_yes_or_no(sentence: str) -> str:
    """Return a sentence without a yes or no in front, which no passage can support."""
    return _YES_OR_NO.sub("", sentence)


def is_negative(text: str) -> bool:
    """Return True for an odd number of negations."""
    return len(NEGATION.findall(_NO_NEGATION.sub(" ", text))) % 2 == 1


def has_literal(text: str, literal: str) -> bool:
    """Return True if a text contains a literal that is not part of a longer one."""
    before = r"(?<![\w-])" if literal[:1].isalnum() or literal[:1] == "_" else r"(?<![\w/-])"
    pattern = _CODE_JOINT.join(map(re.escape, re.split(r"[\s=:|\"']+", literal.strip())))
    exact = re.escape(literal)
    after = r"(?!\w|[-.]\w)"
    return any(re.search(before + each + after, text) for each in (exact, pattern) if each)


def _proof(
    clauses: Sequence[Clause], words: tuple[str, ...], passages: Sequence[Passage], enough: float, near: float
) -> Proof:
    """Prove each clause by one of the passages, and the words of the sentence by all of them."""
    supported = [max((_support(word, passage.whole) for passage in passages), default=0.0) for word in words]
    share = sum(supported) / len(supported) if words else 1.0
    quotes: dict[int, str] = {}
    numbers = [anchor.text for clause in clauses for anchor in clause.anchors if anchor.kind == "number"]
    if len(passages) == 1 and not passages[0].whole.has_as_often(numbers):
        return Proof(reason="a number is repeated")
    reason = "" if share >= enough else f"only {share:.0%} of its words are in the passages"
    for clause in clauses:
        matches = [_match(clause, words, passage, near) for passage in passages]
        proof = max((match for match in matches if not match.reason), key=_share, default=None)
        if proof is None:
            reason = reason or (matches[0].reason if matches else "no passage")
            share -= 1.0  # a passage that supports all clauses is better
            break
        for number, quote in proof.quotes.items():
            quotes.setdefault(number, quote)
    return Proof(reason=reason, share=share) if reason else Proof(tuple(sorted(quotes)), quotes, "", share)


def _match(clause: Clause, sentence_words: tuple[str, ...], passage: Passage, near: float) -> Proof:
    """Find the narrowest window of a passage that supports a clause."""
    missing = next((anchor.text for anchor in clause.anchors if not _has(passage.whole, anchor)), None)
    if missing is not None:
        return Proof(reason=f"{missing!r} is not in the passage")
    words = sentence_words if len(clause.words) == 1 and clause.anchors else clause.words
    least = near if words is clause.words else near / 2
    best = Proof(reason="its literals and words are not near each other")
    best_score = -1.0
    for units, window in passage.windows:
        numbers = [anchor.text for anchor in clause.anchors if anchor.kind == "number"]
        if not all(_has(window, anchor) for anchor in clause.anchors) or not window.has_as_often(numbers):
            continue
        share = sum(_support(word, window) for word in words) / len(words) if words else 1.0
        score = share - 0.05 * len(units)
        if share >= least and score > best_score:
            best, best_score = Proof((passage.number,), {passage.number: "\n".join(units)}, "", share), score
    if best.reason:
        return best
    return _contradiction(clause, passage) or best


def _contradiction(clause: Clause, passage: Passage) -> Proof | None:
    """Return the reason if the clause of a passage that matches best says something else."""
    candidates = [(source, unit) for unit in passage.units for source in unit.clauses]
    forms = len(clause.words) + len(clause.anchors)
    if not candidates or not forms:
        return None
    said = Text(clause.text).plain_words
    source, unit = max(candidates, key=lambda pair: _overlap(clause, pair[0]))
    score, _ = _overlap(clause, source)
    is_close = score >= _CLOSE * forms
    others = [source] if is_close else [source, unit]
    if score >= 1.0 and all(each.is_negative != is_negative(clause.text) for each in others):
        return Proof(reason="a negation differs")
    if is_close and bool(_ONLY.search(clause.text)) != bool(_ONLY.search(source.literal)):
        return Proof(reason="it is only so, or not only")
    for kind in ("number", "name"):
        if _has_another(kind, clause, [source for source, _ in candidates]):
            return Proof(reason=f"the passage has another {kind}")
    if score >= forms - 1 and (word := _replacement(clause, source, passage)):
        return Proof(reason=f"the passage has another word instead of {word!r}")
    for word in said:
        for opposite in opposites().get(word, frozenset()) - said:
            near = (passage.whole, unit, source)
            if any(opposite in text.plain_words and word not in text.plain_words for text in near):
                return Proof(reason=f"the passage has {opposite!r} instead of {word!r}")
    return None


def _overlap(clause: Clause, source: Text) -> tuple[float, int]:
    """Return the number of words and literals of a clause in another; of equal ones, the fewest other words count."""
    score = sum(_support(word, source) for word in clause.words)
    score += sum(_has(source, anchor) for anchor in clause.anchors)
    return score, -len(Text(clause.text).plain_words ^ source.plain_words)


def _replacement(clause: Clause, source: Text, passage: Passage) -> str:
    """Return a word of a clause that replaces one of its source, and means nothing that the passage says; "" if none.

    The other words around it are the same.
    """
    words: list[str] = WORD.findall(Text(clause.text).folded)
    own: list[str] = WORD.findall(source.folded)
    for name, start, end, own_start, own_end in SequenceMatcher(None, words, own, autojunk=False).get_opcodes():
        if name == "replace" and end - start == own_end - own_start == 1 and words[start] in clause.words:
            is_known = any(map(str.isdigit, words[start])) or _support(words[start], passage.whole)
            if not is_known:
                return words[start]
    return ""


def _has_another(kind: str, clause: Clause, sources: Sequence[Text]) -> bool:
    """Return True if the clauses with most of the words have numbers or names, but none has those of the clause."""
    own = [anchor for anchor in clause.anchors if anchor.kind == kind]
    if not own:
        return False
    if not clause.words:
        return len(own) > 1 and not any(all(_has(source, anchor) for anchor in own) for source in sources)
    scores = [sum(_support(word, source) for word in clause.words) for source in sources]
    best = [source for source, score in zip(sources, scores, strict=True) if score == max(scores)]
    is_close = max(scores) >= _CLOSE * len(clause.words)
    has_some = any(source.numbers if kind == "number" else source.has_names for source in best)
    return is_close and has_some and not any(all(_has(source, anchor) for anchor in own) for source in best)


def _has(text: Text, anchor: Anchor) -> bool:
    if anchor.kind == "number":
        units = text.numbers.get(anchor.text)
        return units is not None and (
            not anchor.unit or anchor.unit in units or (units == {""} and anchor.unit in text.units)
        )
    literal = " ".join(anchor.text.translate(QUOTES).split())
    if anchor.kind == "name":
        return has_literal(text.folded, literal.casefold()) or bool(
            "(" not in literal and forms_of(literal) and forms_of(literal) <= text.words
        )
    return has_literal(text.literal, literal) or has_literal(text.literal, literal.removesuffix("()"))


def _support(word: str, text: Text) -> float:
    """Return 1 for a word that a text contains, less for a similar one, 0 for none."""
    if word in text.plain_words or (forms_of(word) and forms_of(word) <= text.words):
        return 1.0
    if not word.isascii() or not word.isalpha():
        return 0.0
    return _SAME_CREDIT if any(is_similar(word, each) for each in text.plain_words) else 0.0


def _code_line(line: str) -> str:
    return re.sub(r"^[$>] ", "", " ".join(line.split()))


def _share(proof: Proof) -> float:
    return proof.share
