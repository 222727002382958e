"""Key phrases of a document: five to seven of its phrases, from statistics of that document alone.

Candidates are runs of one to three words between signs and stop words. Longer phrases weigh more than single words, and
titles and headings more than text (as in RAKE: Rose et al., Automatic keyword extraction from individual documents,
2010). The same text gives the same phrases.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise

from searchsocket.text.words import STOP_WORDS, split_code, stem

Gram = tuple[str, ...]

MOST = 7
_MAX_CHARS = 12_000  # of a text: the beginning shows what a longer text is about
_TOKEN = re.compile(r"[^\W_][\w$]*(?:[-.'’][^\W_][\w$]*)*|\S")
_IDENTIFIER = re.compile(r"[a-z0-9][A-Z]|[^\W_]_[^\W_]|\w\.\w")
_HEADINGS = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)", re.MULTILINE)
_NAME = re.compile(r"[^\W\d]\w*")
_MOST_NAMES = 5
_HEADING = 4  # weight of an occurrence in a heading, relative to the text
_LENGTH = {2: 2.8, 3: 3.0}  # weight of two and three words, relative to one
_LEAST_TIMES = 2
_MANY = 300  # distinct runs or words; in a longer text, a word that occurs once is not important
_ENDINGS = ("ly", "ed")
_OF_NAME = 2.0  # weight of an identifier
_LEAST_WORD = 3  # minimum letters of a single word
# Common words of any documentation, in addition to stop words.
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
    """The key phrases of a source file: the defined names that it uses most, then phrases of its comments.

    Args:
        names: Qualified names that it defines.
        texts: Texts of its chunks.
        docs: The comments of its definitions.
    """
    own = dict.fromkeys(name.rpartition(".")[2] for name in names)
    used = Counter(word for text in texts for word in _NAME.findall(text) if word in own)
    best = sorted((name for name in own if len(name) >= _LEAST_WORD), key=lambda name: -used[name])[:_MOST_NAMES]
    in_headings = [phrase for phrase in key_phrases("\n".join(docs)) if phrase not in best]
    return (*best, *in_headings[: MOST - len(best)])


def key_phrases(text: str, headings: Iterable[str] = (), most: int = MOST) -> tuple[str, ...]:
    """At most `most` phrases, the most important first; of equals, the first in the text.

    Args:
        text: Plain text without code.
        headings: The title and the headings of the text; they may be in the text too.
    """
    in_headings = Counter(chain.from_iterable(_runs(_tokens(heading)) for heading in headings))
    counts = _count_runs(_tokens(text[:_MAX_CHARS]), in_headings)
    scores: dict[str, float] = {}
    spellings_by_key: dict[str, dict[str, int]] = {}
    for gram in {**counts, **in_headings}:
        times = counts.get(gram, 0) + _HEADING * in_headings.get(gram, 0)
        key, weight = _word(gram[0]) if len(gram) == 1 else (_key(gram), _LENGTH[len(gram)])
        scores[key] = scores.get(key, 0.0) + weight * times
        spellings, spelling = spellings_by_key.setdefault(key, {}), " ".join(gram)
        spellings[spelling] = spellings.get(spelling, 0) + times
    return _distinct(scores, spellings_by_key, most)


def _tokens(text: str) -> list[str]:
    """The words and signs of a text; "" for each without meaning."""
    return [_meaningful(token) for token in _TOKEN.findall(text)]


def _runs(tokens: Sequence[str]) -> list[Gram]:
    """The runs of one to three meaningful words."""
    pairs = [(left, right) for left, right in pairwise(tokens) if left and right]
    threes = [(*left, right[1]) for left, right in pairwise(pairs) if left[1] is right[0]]
    return [*[(token,) for token in tokens if len(token) >= _LEAST_WORD], *pairs, *threes]


def _count_runs(tokens: Sequence[str], in_headings: Mapping[Gram, int]) -> dict[Gram, int]:
    """The frequency of repeated runs and of runs from headings; for a short text also of single words."""
    times = Counter(tokens)
    if len(times) <= _MANY:
        counts = Counter(_runs(tokens))
        alone = 1 if len(counts) <= _MANY else 0  # maximum words of a run that counts even if it occurs once
        return {gram: n for gram, n in counts.items() if n >= _LEAST_TIMES or len(gram) <= alone or gram in in_headings}
    # In a long text most runs occur once. A run repeats only if each of its parts does, so only those are built.
    heading_words = {word for gram in in_headings for word in gram}
    often = {word for word, n in times.items() if word and (n >= _LEAST_TIMES or word in heading_words)}
    pairs = [(left, right) if left in often and right in often else None for left, right in pairwise(tokens)]
    twos = _frequent(Counter(filter(None, pairs)), in_headings)
    at = [number for number, pair in enumerate(pairs) if pair in twos]
    threes = [(*tokens[first : first + 2], tokens[second + 1]) for first, second in pairwise(at) if second == first + 1]
    ones: dict[Gram, int] = {(word,): n for word, n in times.items() if word in often and len(word) >= _LEAST_WORD}
    return {**_frequent(ones, in_headings), **twos, **_frequent(Counter(threes), in_headings)}


def _frequent(counts: Mapping[Gram, int], in_headings: Mapping[Gram, int]) -> dict[Gram, int]:
    return {gram: n for gram, n in counts.items() if n >= _LEAST_TIMES or gram in in_headings}


@lru_cache(maxsize=1 << 15)  # words repeat
def _meaningful(token: str) -> str:
    """The token if it has meaning, otherwise ""."""
    has_meaning = (
        len(token) > 1 and token[0].isalpha() and token.lower() not in _COMMON and not token.endswith(_ENDINGS)
    )
    return token if has_meaning else ""


@lru_cache(maxsize=1 << 15)
def _word(word: str) -> tuple[str, float]:
    """The stem of a word, and its weight as a single word."""
    return stem(word.lower()), _OF_NAME if _IDENTIFIER.search(word) else 1.0


def _key(gram: Gram) -> str:
    return " ".join([_word(word)[0] for word in gram])


def _distinct(scores: dict[str, float], spellings_by_key: dict[str, dict[str, int]], most: int) -> tuple[str, ...]:
    """The best phrases, without those that contain, or are part of, a better one."""
    chosen: list[str] = []
    words: list[frozenset[str]] = []
    for key in sorted(scores, key=scores.__getitem__, reverse=True)[: 12 * most]:
        own = frozenset(key.split())
        if any(own <= word or word <= own for word in words):
            continue
        words.append(own)
        chosen.append(min(spellings_by_key[key].items(), key=lambda item: (-item[1], item[0]))[0])
        if len(chosen) == most:
            break
    return tuple(chosen)
