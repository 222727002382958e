"""Proposals for queries that the site does not answer well: synonyms, a pin, a golden query, or a missing page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

from searchsocket.curation.rules import FILE_NAME as CURATION_FILE
from searchsocket.quality.golden import Proposal, as_toml, toml_text
from searchsocket.search.answer import Quality, SearchAnswer
from searchsocket.search.wire import Wire
from searchsocket.text.words import STOP_WORDS, plain_words
from searchsocket.types import Vectors

ProposalKind = Literal["synonyms", "pin", "golden query", "missing page"]
GOLDEN_FILE, MISSING_PAGES_FILE = "golden-queries.toml", "missing-pages.md"
_SIMILAR_MEANING, _SIMILAR_SPELLING = 0.45, 0.75
_MAX_TRIALS = 4  # searches for one missing word
_OPENED = "opened more than other results"


@dataclass(frozen=True, slots=True)
class NearPage(Wire):
    """A page near to a query."""

    url: str
    title: str
    confidence: float | None  # None: not a result, only near in meaning or words


@dataclass(frozen=True, slots=True)
class DemandProposal(Wire):
    """Text to add to a file, if a person agrees."""

    kind: ProposalKind
    summary: str
    reason: str
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class CurrentAnswer:
    """The answer of the live index to a query of the log."""

    query: str
    quality: Quality
    pages: tuple[NearPage, ...]  # results, or else the nearest pages
    missing: tuple[str, ...]  # words that are on no page
    is_noise: bool  # True if somebody only hit random keys


@dataclass(frozen=True, slots=True)
class Probe:
    """Searches that test a proposal, and vectors of words if they cost nothing."""

    search: Callable[[str], SearchAnswer]
    embed: Callable[[Sequence[str]], Vectors] | None


def propose(
    current: CurrentAnswer, opened: str, visitors: int, probe: Probe, golden_file: Path | None, *, is_golden: bool
) -> DemandProposal | None:
    """Return the proposal for a query; None if nothing has to change, or the query is noise.

    Args:
        opened: URL of the page that most visitors opened; "" if unknown.
        visitors: Number of visitors who searched for the query.
        golden_file: The file of golden queries; None if there is none yet.
        is_golden: True if the query is a golden query already.
    """
    first = current.pages[0].url if current.pages else ""
    if opened and (opened != first or current.quality == "weak"):
        return pin_proposal(current.query, opened, _OPENED)
    if current.quality == "answered" or opened:
        first_page = current.pages[0]
        reason = _OPENED if opened else f"first result, confidence {first_page.confidence or 0:.2f}"
        return None if is_golden else _golden(current, reason, golden_file)
    for word in current.missing:
        if synonyms := _synonyms(word, current, probe):
            return synonyms
    return None if current.is_noise else _missing_page(current, visitors)


def pin_proposal(query: str, url: str, reason: str) -> DemandProposal:
    """Return a proposal to show a page first for a query."""
    text = f"[[pin]]\nquery = {toml_text(query)}\npages = [{toml_text(url)}]\n"
    return DemandProposal("pin", f"pin {url}", reason, CURATION_FILE, text)


def _golden(current: CurrentAnswer, reason: str, file: Path | None) -> DemandProposal:
    expect, *others = (page.url for page in current.pages)
    if file and file.suffix == ".tsv":
        cells = {"query": current.query, "target": expect, "kind": "demand"}
        heads = file.read_text(encoding="utf-8").partition("\n")[0].split("\t")
        text = "\t".join(cells.get(head, "") for head in heads) + "\n"
    else:
        text = as_toml([Proposal(current.query, (expect,), tuple(others))])
    return DemandProposal("golden query", f"expect {expect}", reason, file.name if file else GOLDEN_FILE, text)


def _missing_page(current: CurrentAnswer, visitors: int) -> DemandProposal:
    near = ", ".join(f"`{page.url}`" for page in current.pages)
    reason = f"no page has {', '.join(map(repr, current.missing))}" if current.missing else "no page answers it"
    query = " ".join(current.query.replace("`", "").split())
    text = f"- [ ] `{query}`: {visitors} visitors; {reason}{f'; nearest: {near}' if near else ''}\n"
    return DemandProposal("missing page", "write one, or ignore it", reason, MISSING_PAGES_FILE, text)


def _synonyms(word: str, current: CurrentAnswer, probe: Probe) -> DemandProposal | None:
    """Propose a word of a near page as a synonym of a missing word, if the site answers the query with it."""
    for synonym in list(_similar_words(word, current, probe))[:_MAX_TRIALS]:
        answer = probe.search(" ".join(synonym if typed == word else typed for typed in current.query.split()))
        if answer.results and answer.quality == "answered":
            url = answer.results[0].url
            text = f"[[synonyms]]\nwords = [{toml_text(word)}, {toml_text(synonym)}]\n"
            reason = f"no page has {word!r}; with {synonym!r}, {url} answers"
            return DemandProposal("synonyms", f"{word} = {synonym}", reason, CURATION_FILE, text)
    return None


def _similar_words(word: str, current: CurrentAnswer, probe: Probe) -> Iterator[str]:
    """Yield words of the nearest titles by falling similarity to a word, in meaning or spelling."""
    ignored = STOP_WORDS | set(plain_words(current.query))
    parts = (part.strip(".,:;!?()\"'") for page in current.pages for part in page.title.casefold().split())
    candidates = [part for part in dict.fromkeys(parts) if part.isalpha() and part not in ignored and len(part) > 2]
    if not candidates:
        return
    meaning = [0.0] * len(candidates)
    if probe.embed is not None:
        vectors = probe.embed([word, *candidates])
        meaning = (vectors[1:] @ vectors[0]).tolist()
    spelling = (SequenceMatcher(None, word, candidate).ratio() for candidate in candidates)
    scores = [
        (max(near / _SIMILAR_MEANING, like / _SIMILAR_SPELLING), candidate)
        for near, like, candidate in zip(meaning, spelling, candidates, strict=True)
    ]
    yield from (candidate for score, candidate in sorted(scores, key=lambda pair: -pair[0]) if score >= 1)
