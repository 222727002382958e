"""Key phrases of a document: five to seven of its own phrases, from statistics of that document alone.

Runs of one to three words that are no stop words are counted as they stand between signs and stop words. A phrase of
several words says more than one word, and what a title or heading says counts more often (as in RAKE and its kin:
Rose et al., Automatic keyword extraction from individual documents, 2010). The same text gives the same phrases.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise

from searchsocket.text.words import STOP_WORDS, split_code, stem

Gram = tuple[str, ...]

MOST = 7
_MAX_CHARS = 12_000  # of a text: what a longer one is about, its beginning says
_TOKEN = re.compile(r"[^\W_][\w$]*(?:[-.'’][^\W_][\w$]*)*|\S")
_IDENTIFIER = re.compile(r"[a-z0-9][A-Z]|[^\W_]_[^\W_]|\w\.\w")
_HEADINGS = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)", re.MULTILINE)
_NAME = re.compile(r"[^\W\d]\w*")
_MOST_NAMES = 5
_HEADING = 4  # times that a heading says it more than the text
_LENGTH = {2: 2.8, 3: 3.0}  # words, beside one alone
_LEAST_TIMES = 2
_MANY = 300  # distinct runs, or words, of a text, beyond which a word that it says once is not what it is about
_ENDINGS = ("ly", "ed")
_OF_NAME = 2.0  # of an identifier
_LEAST_WORD = 3  # letters of a word alone
# Words that any documentation is full of, beside those that say nothing in any text.
_COMMON_LIST = (
    "able above allow allows already also always another any anything argument arguments available becomes begins "
    "below beside call called case chapter comes default description details different does done e.g ends etc "
    "even everything example examples false first following function functions given gives goes holds however i.e "
    "information instead keeps kept like list looks made make makes many may much must name names need needs "
    "never new next none note nothing null number one option optional options others page pages parameter "
    "parameters per please puts required result results return returns said says second section see set sets "
    "several since something specified specify stays string takes tells told true two type types use used uses "
    "using value values via want way ways whatever whether while whoever whole whose within without work works "
    "yes "
)
_COMMON = STOP_WORDS | frozenset(_COMMON_LIST.split())


def phrases_of_page(title: str, markdown: str) -> tuple[str, ...]:
    """The key phrases of a page of the mirror."""
    prose, _ = split_code(markdown)
    return key_phrases(prose, (title, *_HEADINGS.findall(prose)))


def phrases_of_code(names: Iterable[str], texts: Iterable[str], docs: Iterable[str]) -> tuple[str, ...]:
    """Those of a source file: the names that it defines and uses most, then what its comments say.

    Args:
        names: Qualified ones of what it defines.
        texts: Its chunks.
        docs: The comments of its definitions.
    """
    own = dict.fromkeys(name.rpartition(".")[2] for name in names)
    used = Counter(word for text in texts for word in _NAME.findall(text) if word in own)
    best = sorted((name for name in own if len(name) >= _LEAST_WORD), key=lambda name: -used[name])[:_MOST_NAMES]
    in_headings = [phrase for phrase in key_phrases("\n".join(docs)) if phrase not in best]
    return (*best, *in_headings[: MOST - len(best)])


def key_phrases(text: str, headings: Iterable[str] = (), most: int = MOST) -> tuple[str, ...]:
    """At most `most` phrases, the most telling first; of equals the first in the text.

    Args:
        text: Readable, without code.
        headings: The title and those inside; they may be in the text too.
    """
    in_headings = Counter(chain.from_iterable(_runs(_tokens(heading)) for heading in headings))
    telling = _counted(_tokens(text[:_MAX_CHARS]), in_headings)
    scores: dict[str, float] = {}
    spelled: dict[str, dict[str, int]] = {}
    for gram in {**telling, **in_headings}:
        times = telling.get(gram, 0) + _HEADING * in_headings.get(gram, 0)
        key, weight = _word(gram[0]) if len(gram) == 1 else (_key(gram), _LENGTH[len(gram)])
        scores[key] = scores.get(key, 0.0) + weight * times
        spellings, written = spelled.setdefault(key, {}), " ".join(gram)
        spellings[written] = spellings.get(written, 0) + times
    return _distinct(scores, spelled, most)


def _tokens(text: str) -> list[str]:
    """Its words and signs, "" for each that says nothing."""
    return [_telling(token) for token in _TOKEN.findall(text)]


def _runs(tokens: Sequence[str]) -> list[Gram]:
    """The runs of one to three words that say something."""
    pairs = [(one, other) for one, other in pairwise(tokens) if one and other]
    threes = [(*one, other[1]) for one, other in pairwise(pairs) if one[1] is other[0]]
    return [*[(token,) for token in tokens if len(token) >= _LEAST_WORD], *pairs, *threes]


def _counted(tokens: Sequence[str], in_headings: Mapping[Gram, int]) -> dict[Gram, int]:
    """The frequency of repeated runs and of runs from headings; for a short text also of single words."""
    times = Counter(tokens)
    if len(times) <= _MANY:
        counts = Counter(_runs(tokens))
        alone = 1 if len(counts) <= _MANY else 0  # words of what counts although the text says it once
        return {gram: n for gram, n in counts.items() if n >= _LEAST_TIMES or len(gram) <= alone or gram in in_headings}
    # Most runs of a long text are there once. One is there again only where each of its parts is: no other is built.
    named = {word for gram in in_headings for word in gram}
    often = {word for word, n in times.items() if word and (n >= _LEAST_TIMES or word in named)}
    pairs = [(one, other) if one in often and other in often else None for one, other in pairwise(tokens)]
    twos = _often(Counter(filter(None, pairs)), in_headings)
    at = [number for number, pair in enumerate(pairs) if pair in twos]
    threes = [(*tokens[one : one + 2], tokens[other + 1]) for one, other in pairwise(at) if other == one + 1]
    ones: dict[Gram, int] = {(word,): n for word, n in times.items() if word in often and len(word) >= _LEAST_WORD}
    return {**_often(ones, in_headings), **twos, **_often(Counter(threes), in_headings)}


def _often(counts: Mapping[Gram, int], in_headings: Mapping[Gram, int]) -> dict[Gram, int]:
    return {gram: n for gram, n in counts.items() if n >= _LEAST_TIMES or gram in in_headings}


@lru_cache(maxsize=1 << 15)  # words come again
def _telling(token: str) -> str:
    """The token, where it says something; "" where it does not."""
    says = len(token) > 1 and token[0].isalpha() and token.lower() not in _COMMON and not token.endswith(_ENDINGS)
    return token if says else ""


@lru_cache(maxsize=1 << 15)
def _word(word: str) -> tuple[str, float]:
    """The counted form of a word, and its weight alone."""
    return stem(word.lower()), _OF_NAME if _IDENTIFIER.search(word) else 1.0


def _key(gram: Gram) -> str:
    return " ".join([_word(word)[0] for word in gram])


def _distinct(scores: dict[str, float], spelled: dict[str, dict[str, int]], most: int) -> tuple[str, ...]:
    """The best, without those that say a part of a better one, or a better one and little more."""
    chosen: list[str] = []
    words: list[frozenset[str]] = []
    for key in sorted(scores, key=scores.__getitem__, reverse=True)[: 12 * most]:
        own = frozenset(key.split())
        if any(own <= other or other <= own for other in words):
            continue
        words.append(own)
        chosen.append(min(spelled[key].items(), key=lambda item: (-item[1], item[0]))[0])
        if len(chosen) == most:
            break
    return tuple(chosen)
