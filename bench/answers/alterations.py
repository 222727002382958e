"""Sentences of our documentation, said in other words, and altered in one place."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from searchsocket.content.chunking.atoms import split_sentences
from searchsocket.extensions.answers.proof import Passage

DOCS = Path(__file__).parents[2] / "examples/docs-site/src"
MAX_CHARS = 900  # of a passage, as `ask` returns them
NAMES = ("Redis", "Oracle", "Kafka", "Ruby", "Elasticsearch", "Kubernetes", "Django", "Safari", "Norway", "Jenkins")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
_NUMBER = re.compile(r"(?<![\w.`-])\d{1,6}(?![\w.`]|,\d)")
_SPAN = re.compile(r"(?<!\S)`([^`]{3,40})`")
_AUXILIARY = re.compile(r"\b(is|are|can|has|have|will|must|was)\b(?! not\b)")
_NOT = re.compile(r"\b(does not|do not|is not|are not|cannot|can not|has no|never)\b")
_OTHER_WORDS = {
    "returns": "gives", "shows": "displays", "deletes": "removes", "needs": "requires", "contains": "has",
    "starts": "begins", "maximum": "largest", "reads": "loads", "checks": "verifies", "finds": "locates",
    "writes": "stores", "large": "big", "every": "each", "uses": "takes", "creates": "makes", "stops": "ends",
}  # fmt: skip
_MEANING = {
    "deletes": "keeps", "keeps": "deletes", "before": "after", "after": "before", "reads": "writes", "writes": "reads",
    "first": "last", "newest": "oldest", "without": "with", "all": "some", "only": "also", "more": "less",
    "starts": "stops", "page": "image", "pages": "images", "query": "payment", "queries": "payments",
    "index": "printer", "folder": "calendar", "service": "hospital", "run": "holiday", "text": "music",
}  # fmt: skip


class Case(NamedTuple):
    """A sentence with the passages that a model would have read, its own first."""

    kind: str  # `as written`, `other words`, `paraphrase`, or what was altered
    sentence: str
    passages: Sequence[Passage]

    @property
    def is_true(self) -> bool:
        return self.kind in TRUE


TRUE = ("as written", "other words", "paraphrase")


def passages_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield heading and text of the passages of a page."""
    text = path.read_text(encoding="utf-8")
    title = (re.search(r"^title: \"?(.+?)\"?$", text, re.MULTILINE) or [path.stem, path.stem])[1]
    body = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.DOTALL)
    for section in re.split(r"^(?=#+ )", body, flags=re.MULTILINE):
        heading = re.match(r"#+ (.*)", section)
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"^#+ .*\n", "", section)).replace("**", "")
        plain = re.sub(r"(?<=[\w.,;:`)])\n(?=[\w`(])", " ", plain).strip()
        for start in range(0, len(plain), MAX_CHARS):
            yield f"{title}\n{heading[1] if heading else ''}", plain[start : start + MAX_CHARS]


def corpus() -> list[tuple[str, str]]:
    """Heading and text of the passages of all pages."""
    return [
        passage
        for path in sorted(DOCS.rglob("*.md"))
        if path.name != "de.md"
        for passage in passages_of(path)
        if len(passage[1]) > 200
    ]


def prose_sentences(text: str) -> list[str]:
    """The whole sentences of a passage."""
    found = []
    for line in text.split("\n"):
        if line.startswith(("|", "```", "    ", "-", "#", "<")):
            continue
        found += [sentence.strip() for _, sentence in split_sentences(line)]
    return [each for each in found if re.fullmatch(r"[A-Z`][^|{}]{30,220}\.", each)]


def cases(seed: int, each: Mapping[str, int]) -> list[Case]:
    """Return cases of each kind from sentences that were drawn at random."""
    random_source = random.Random(seed)
    texts = corpus()
    drawn = [(at, sentence) for at, (_, text) in enumerate(texts) for sentence in prose_sentences(text)]
    random_source.shuffle(drawn)
    found: dict[str, list[Case]] = {kind: [] for kind in each}
    for at, sentence in drawn:
        others = random_source.sample(texts, 3)
        passages = [Passage(n, heading, text) for n, (heading, text) in enumerate([texts[at], *others], start=1)]
        for kind in sorted(each, key=lambda name: len(found[name]) / each[name]):
            if len(found[kind]) < each[kind] and (altered := ALTERATIONS[kind](sentence, random_source)):
                found[kind].append(Case(kind, altered, passages))
                break
    return [case for kind in each for case in found[kind]]


def paraphrases() -> list[Case]:
    """Return sentences that were written by hand, each with the passage that contains a phrase of its original."""
    found = []
    texts = corpus()
    for line in (Path(__file__).parent / "paraphrases.tsv").read_text(encoding="utf-8").splitlines():
        phrase, sentence = line.split("\t")
        own = [text for text in texts if phrase in text[1]]
        others = [text for text in texts if text not in own][:3]
        if not own:
            raise SystemExit(f"no passage contains {phrase!r}")
        found.append(Case("paraphrase", sentence, [Passage(n, *text) for n, text in enumerate([own[0], *others], 1)]))
    return found


def _in_other_words(sentence: str, _: random.Random) -> str | None:
    """Move a condition to the end, and use other words."""
    words = re.sub(
        r"\b[a-z]+\b(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", lambda match: _OTHER_WORDS.get(match[0], match[0]), sentence
    )
    if condition := re.fullmatch(r"(If|With|Without|After|Before|For|In) ([^,`]{4,80}), (.+)\.", words):
        head, rest = condition[1].lower(), condition[3]
        words = f"{rest[:1].upper()}{rest[1:]} {head} {condition[2]}."
    return words if words != sentence else None


def _number(sentence: str, random_source: random.Random) -> str | None:
    def other(match: re.Match[str]) -> str:
        return str(int(match[0]) + random_source.choice((1, 2, 10)))

    return _NUMBER.sub(other, sentence, count=1) if _NUMBER.search(sentence) else None


def _flag(sentence: str, _: random.Random) -> str | None:
    if not (spans := _SPAN.findall(sentence)):
        return None
    name = spans[0]
    altered = f"{name[:-2]}{'ed' if name[-2:] != 'ed' else 'ing'}" if name[-1].isalpha() else f"{name}x"
    return sentence.replace(f"`{name}`", f"`{altered}`", 1)


def _name(sentence: str, random_source: random.Random) -> str | None:
    match = _NAME.search(sentence)
    others = [name for name in NAMES if name not in sentence]
    return _NAME.sub(random_source.choice(others), sentence, count=1) if match else None


def _negation(sentence: str, _: random.Random) -> str | None:
    if match := _NOT.search(sentence):
        verb = {"cannot": "can", "can not": "can", "has no": "has a", "never": "always"}
        return sentence.replace(match[0], verb.get(match[0], match[0].removesuffix(" not")), 1)
    return _AUXILIARY.sub(r"\1 not", sentence, count=1) if _AUXILIARY.search(sentence) else None


def _meaning(sentence: str, _: random.Random) -> str | None:
    for word, other in _MEANING.items():
        if re.search(rf"\b{word}\b", re.sub("`[^`]*`", "", sentence)):
            return re.sub(rf"\b{word}\b", other, sentence, count=1)
    return None


ALTERATIONS: Mapping[str, Callable[[str, random.Random], str | None]] = {
    "as written": lambda sentence, _: sentence,
    "other words": _in_other_words,
    "number": _number,
    "flag": _flag,
    "name": _name,
    "negation": _negation,
    "meaning": _meaning,
}
