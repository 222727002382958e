"""Convert text to the words of keyword search: stems for prose, exact and split forms for identifiers.

Documents and queries use the same forms, so that a word finds itself. An identifier gives several neighbouring words
(`useState` -> `usestate use state`), so that phrases with identifiers still match.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, dropwhile

import Stemmer

from searchsocket.text.late_pattern import LatePattern
from searchsocket.text.versions import is_version

_PREFIXES = ("وال", "بال", "كال", "فال", "لل", "ال", "و")
_SUFFIXES = ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")
_MIN_CHARS = 3  # of the remaining stem
MAX_WORD_CHARS = 64  # longer runs are hashes and base64: only their parts are indexed
MAX_PARTS = 32
MAX_QUERY_CHARS = 2_000
MAX_QUERY_WORDS = 32
# Marks and vowel signs.
_COMBINING = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_LETTER = rf"[\w{_COMBINING}]"
_JOINERS = "\u200c\u200d"  # invisible between the letters of one word, as in Persian; many keyboards lack them
_WORD = re.compile(rf"(?:--?|[$@#+.]{{1,3}})?{_LETTER}+(?:(?:::|[-.:'’·@${_JOINERS}]){_LETTER}+)*(?:\+\+|#)?")
# Operators between spaces, as in code, and emoji. Rules, headings and table borders of Markdown are none.
_SIGNS = re.compile(
    r"`?(?!#+`?$|-{3,}`?$|\*{2,}`?$|_+`?$|~+`?$|\|+`?$)"
    r"([!-/:-@\[-_{-~]{2,4}|(?:[\u2600-\u26ff\U0001f000-\U0001faff]\ufe0f?\u200d?){1,8})`?"
)
_EMOJI_JOINERS = str.maketrans("", "", "\ufe0f\u200d")  # they change only how an emoji is drawn
# Scripts written without spaces between words, and Hangul, whose endings change.
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_CJK_RUNS = LatePattern(rf"[{UNSPACED}]+|[^{UNSPACED}]+")
_HAS_CJK = LatePattern(rf"[{UNSPACED}]")
# Diacritics, vowel signs, and the dots of letters of Indian scripts.
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc]")
_PIECES = re.compile(rf"(?:[^\W_]|[{_COMBINING}])+")
_LETTERS = re.compile(r"[^\W\d_]{3,32}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_IN_FRONT = re.compile(r"\s+[-–—|·»>/]\s+")
# Digits of other scripts, by their zero: Arabic, Persian, N'Ko, those of India, Thai, Lao, Tibetan, Burmese, Khmer.
_ZEROS = "\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u0f20\u1040\u17e0\u1810"
_DIGITS = {ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)}
_UNFOLDED = _DIGITS | str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"}
    # Interchangeable letters of Arabic, and the line that stretches a word.
    | {"ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك", "\u0640": ""}
    | {"·": ""}  # between the letters of one word, as in Catalan
    | dict.fromkeys(_JOINERS, "")
)
# A phrase in straight quotes, after `_with_straight_quotes`.
_PHRASE = re.compile(r'"([^"]*)"')
_DOUBLE_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))
_SINGLE_QUOTES = re.compile(r"(?<!\w)[‘‚‹](?=\w)([^‘’‚‹›\"]*\w)[’‘›](?!\w)")
# A word after a minus. `--flag`, `-b` and `a-b` are none.
_EXCLUDED = re.compile(r"(?<!\S)-[^\W_]{2}[\w.+#-]*(?!\S)")
_MAX_CONDITION_WORDS = 20  # in a longer text, quotes and dashes are those of prose
_FENCE = re.compile(r"[ \t>]*(?:[-*+] +|\d+[.)] +)?(`{3,}|~{3,})")
_LINK_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)")
_ANCHOR = re.compile(r"[ \t]\{#[^{}\s]*\}[ \t]*$", re.MULTILINE)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_STOP_WORD_LIST = (
    "a about above after again all also am an and any are as at be because been before being below between both "
    "but by can could did do does doing done down during each few for from further get got had has have having he "
    "her here hers him his how i if in into is it its itself just let me more most my no nor not of off on once "
    "only or other our out over own please same she should so some such than that the their them then there these "
    "they this those through to too under until up us very was we were what when where which while who whom why "
    "will with would you your"
)
STOP_WORDS = frozenset(_STOP_WORD_LIST.split())
# Words before a name: "how to use slots".
BEFORE_NAMES = STOP_WORDS | {"use", "using", "configure", "add", "create", "write", "define", "enable", "make"}


def arabic_stem(word: str) -> str:
    """The light stem of a folded word, the same for `المكونات` and `مكون`.

    Args:
        word: A word after `fold`, which replaces `ة` by `ه`.
    """
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= _MIN_CHARS:
            word = word.removeprefix(prefix)
            break
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_CHARS:
            word = word.removesuffix(suffix)
    return word


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word of a query, in the forms that documents may contain."""

    exact: str  # form in documents if it is an identifier
    stem: str  # form in documents if it is prose; "" for an identifier
    parts: tuple[str, ...] = ()  # the words inside an identifier, stemmed
    is_stop: bool = False
    pieces: tuple[str, ...] = ()  # the words inside an identifier, as typed


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query."""

    words: tuple[QueryWord, ...]  # distinct, in the order of the text, including those of phrases
    order: tuple[QueryWord, ...] = ()  # the same with repetitions
    phrases: tuple[tuple[str, ...], ...] = ()  # texts in quotes, in the forms of documents
    open_ended: bool = False  # the last word may be incomplete
    signs: tuple[str, ...] = ()  # the operators of a query without words, which are its words too


def has_unspaced(text: str) -> bool:
    """Return True if a text has characters of a script that is written without spaces, or Hangul."""
    return not text.isascii() and _HAS_CJK.search(text) is not None


def index_words(text: str) -> list[str]:
    """The words of `text` as stored in the index, in order."""
    pieces = text.split()
    # Texts of a site repeat: most pieces between spaces, with their punctuation, are already cached.
    if max(map(len, pieces), default=0) <= MAX_WORD_CHARS:
        return list(chain.from_iterable(map(_short_piece, pieces)))
    forms = (_short_piece(piece) if len(piece) <= MAX_WORD_CHARS else _piece(piece) for piece in pieces)
    return list(chain.from_iterable(forms))


def plain_words(text: str) -> list[str]:
    """The distinct words of letters in `text`, folded but not stemmed, sorted: for completion and correction."""
    words = set(_LETTERS.findall(text.lower()))
    return sorted(words if text.isascii() else {fold(word) for word in words if not _HAS_CJK.search(word)})


def spellings(text: str) -> list[str]:
    """The distinct words of `text` as typed, folded but not stemmed, and whole identifiers, sorted."""
    pieces = set(text.split())
    if max(map(len, pieces), default=0) <= MAX_WORD_CHARS:
        return sorted(set(chain.from_iterable(map(_short_spellings, pieces))))
    spelled = (_short_spellings(piece) if len(piece) <= MAX_WORD_CHARS else _spellings(piece) for piece in pieces)
    return sorted(set(chain.from_iterable(spelled)))


def _spellings(text: str) -> tuple[str, ...]:
    words_in_text = set(_WORD.findall(text))
    if text.isascii():
        lower_words = set(map(str.lower, words_in_text))
        letters = _LETTERS.findall("\n".join(lower_words))  # each run of letters is in one word
        return (*letters, *(word for word in lower_words if len(word) <= MAX_WORD_CHARS and not word.isalpha()))
    folded = {fold(word) for word in words_in_text if len(word) <= MAX_WORD_CHARS}
    return (*plain_words(text), *(word for word in folded if not word.isalpha() and not _HAS_CJK.search(word)))


_short_spellings = lru_cache(maxsize=1 << 14)(_spellings)


def name_of(text: str) -> str:
    """A title or heading in the form for comparing names: its words as typed, folded, without punctuation.

    The signs of a name without words, such as `=>`.
    """
    return " ".join(fold(word) for word in _WORD.findall(text)) or " ".join(_signs(text))


def _signs(text: str) -> list[str]:
    """The operators and emoji in a text without words."""
    return [match[1].translate(_EMOJI_JOINERS) for piece in text.split() if (match := _SIGNS.fullmatch(piece))]


@lru_cache(maxsize=1 << 12)  # headings repeat from query to query
def names_of(text: str) -> tuple[str, ...]:
    """The names under which a visitor may search for a page or section with this title."""
    names = [name_of(text), name_of(without_brackets(text)), _gist(text)]
    return tuple(dict.fromkeys(name for name in names if name))


def _gist(text: str) -> str:
    """The stems of a name without stop words; "" if only one word remains, which is too general."""
    stems = [stem(word) for word in name_of(text).split() if word not in STOP_WORDS]
    return " ".join(stems) if len(stems) > 1 else ""


def without_brackets(text: str) -> str:
    """A name without trailing brackets and their content, unless nothing else remains."""
    return _BRACKETS.sub("", text) or text


@lru_cache(maxsize=64)  # called for pages and for records
def possible_names(text: str) -> tuple[str, ...]:
    """The names that a query may be: whole, without trailing brackets, a version, or a section of the site in front.

    The last one is the subject of a task: "slots" in "how to use slots".
    """
    head = without_brackets(text)
    plain = " ".join(piece for piece in head.split() if not is_version(piece))
    parts = [text, head, plain, *(part for whole in (text, head) for part in _IN_FRONT.split(whole, maxsplit=1)[1:])]
    task = " ".join(dropwhile(BEFORE_NAMES.__contains__, name_of(text).split()))
    return tuple(dict.fromkeys(name for name in (*map(name_of, parts), *map(_gist, parts), task) if name))


def spelled_name(text: str) -> str:
    """The name that a query in one piece spells: "quick start" for `Quick_Start`, `quickStart` and `quick.start`.

    "" if the query has spaces or is a single word.
    """
    pieces = _PIECES.findall(_CAMEL.sub(" ", text)) if len(text.split()) == 1 else []
    return name_of(" ".join(pieces)) if len(pieces) > 1 else ""


def _piece(text: str) -> tuple[str, ...]:
    words = _WORD.findall(text)
    return tuple(form for word in words for form in word_forms(word)) if words else tuple(_signs(text))


_short_piece = lru_cache(maxsize=1 << 16)(_piece)  # about 250 bytes each for source code


def word_forms(word: str) -> tuple[str, ...]:
    """All forms of one written word, the exact one first; empty if nothing of it can be indexed."""
    if word.isascii() and word.isalpha() and (word[1:].islower() or word.isupper() or len(word) == 1):
        return (stem(word.lower()),) if len(word) <= MAX_WORD_CHARS else ()
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word).translate(_DIGITS)
        if _HAS_CJK.search(word):
            return tuple(form for run in _CJK_RUNS.findall(word) for form in _cjk_forms(run))
    return _identifier_forms(word.replace("’", "'"))


def _cjk_forms(run: str) -> tuple[str, ...]:
    """Pairs of neighbouring characters, which find text in scripts without spaces well enough, and the last character.

    So every character begins a form.
    """
    if not _HAS_CJK.match(run):
        return tuple(form for word in _WORD.findall(run) for form in word_forms(word))
    return tuple(run[i : i + 2] for i in range(len(run)))[: 4 * MAX_WORD_CHARS]


@lru_cache(maxsize=1 << 14)  # the same word occurs with different signs around it
def _identifier_forms(word: str) -> tuple[str, ...]:
    """Forms of an identifier: `$state.raw` -> `$state.raw state.raw $state state raw`; also `don't`, `C++`, `café`."""
    exact = fold(word)
    pieces = _pieces(word)
    if len(pieces) == 1 and pieces[0] == exact and not any(char.isdigit() for char in exact):
        return (stem(exact),) if len(exact) <= MAX_WORD_CHARS else ()
    if "'" in exact:
        forms = [stem(exact.removesuffix("'s").replace("'", "")), *map(stem, (p for p in pieces if len(p) > 2))]
    else:
        # Words with dashes, underscores or capitals are also typed as one word.
        joined = re.sub(r"[-_]", "", exact.strip("-_"))
        dotted = [part for part in exact.split(".") if len(part) > 1]
        forms = [exact, exact.strip("-$@#+._"), joined, *dotted, *map(stem, (p for p in pieces if len(p) > 1))]
    return tuple(dict.fromkeys(form for form in forms if form and len(form) <= MAX_WORD_CHARS))


def _pieces(word: str) -> list[str]:
    """The words inside an identifier."""
    return [fold(part) for piece in _PIECES.findall(word) for part in _CAMEL.split(piece)][:MAX_PARTS]


def fold(word: str) -> str:
    """Lower case without diacritics."""
    if word.isascii():
        return word.lower()
    folded = _MARKS.sub("", unicodedata.normalize("NFKD", word.casefold())).translate(_UNFOLDED)
    return "".join(unicodedata.normalize("NFC", folded).split())


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a folded word: light10 for Arabic, English for all other words."""
    return str(_stemmer().stemWord(word)) if word < "\u0600" or word > "\u077f" else arabic_stem(word)


def stems(words: Iterable[str]) -> list[str]:
    """The stems of many folded words, without the cache."""
    words = list(words)
    stemmed: list[str] = _stemmer().stemWords(words)
    if all(map(str.isascii, words)):
        return stemmed
    return [stem(word) if not word.isascii() else english for word, english in zip(words, stemmed, strict=True)]


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english", 0)  # its own cache is slower than stemming again


@lru_cache(maxsize=64)  # several steps of a search parse the same query
def parse_query(text: str) -> ParsedQuery:
    """Parse a query: words, quoted phrases, and if its end is open; text beyond the limits is dropped."""
    text = _with_straight_quotes(text[:MAX_QUERY_CHARS])
    words: dict[str, QueryWord] = {}
    order: list[QueryWord] = []
    for raw_word in _WORD.findall(text):
        for word in _query_words(raw_word):
            order.append(words.setdefault(word.exact, word))
            if len(words) >= MAX_QUERY_WORDS:
                break
    signs = () if words else tuple(dict.fromkeys(_signs(text)))
    for operator in signs:
        order.append(words.setdefault(operator, QueryWord(operator, "")))
    quoted = (phrase_words(part)[:MAX_QUERY_WORDS] for part in _PHRASE.findall(text))
    phrases = () if len(order) > _MAX_CONDITION_WORDS else tuple(dict.fromkeys(filter(None, quoted)))
    open_ended = bool(text) and text[-1] not in ' \t\n".?!,;)'
    return ParsedQuery(tuple(words.values())[:MAX_QUERY_WORDS], tuple(order), phrases, open_ended, signs)


def phrase_words(text: str) -> tuple[str, ...]:
    """The forms of a text where it is a part of a document.

    The last character of a run without spaces is no form there: `日本語の` has 語の after 本語.
    """
    forms = tuple(index_words(text))
    is_last_of_run = len(forms) > 1 and len(forms[-1]) == 1 and forms[-2][1:] == forms[-1]
    return forms[:-1] if is_last_of_run and _HAS_CJK.match(forms[-1]) else forms


def _with_straight_quotes(text: str) -> str:
    """Replace typographic quotes by `"`; an apostrophe stays."""
    return text if text.isascii() else _SINGLE_QUOTES.sub(r'"\1"', text.translate(_DOUBLE_QUOTES))


def excluded_words(text: str) -> list[str]:
    """The words that a query excludes, each with its minus; empty if nothing else remains of the query."""
    words = [match[0] for match in _EXCLUDED.finditer(text)] if " -" in text or text.startswith("-") else []
    return words if words and 0 < len(parse_query(without_words(text, words)).order) <= _MAX_CONDITION_WORDS else []


def without_words(text: str, words: Iterable[str]) -> str:
    """A query without some of its pieces between spaces."""
    removed = frozenset(words)
    return " ".join(piece for piece in text.split() if piece not in removed)


def has_conditions(text: str) -> bool:
    """Return True if a query quotes or excludes words."""
    return bool(parse_query(text).phrases or excluded_words(text))


def _query_words(raw_word: str) -> list[QueryWord]:
    forms = word_forms(raw_word)
    if not forms:
        return []
    folded = fold(unicodedata.normalize("NFKC", raw_word))
    if not folded.isascii() and _HAS_CJK.search(folded):
        # The last character of a run counts only alone.
        last = {run[-1] for run in _CJK_RUNS.findall(folded) if len(run) > 1}
        return [QueryWord(form, "") for form in forms if form not in last]
    if len(forms) == 1 and folded.isalpha():
        return [QueryWord(folded, forms[0], is_stop=folded in STOP_WORDS)]
    is_stop = folded.replace("'", "") in STOP_WORDS
    return [QueryWord(forms[0], "", forms[1 : MAX_PARTS + 1], is_stop, tuple(_pieces(raw_word)))]


def split_code(markdown: str) -> tuple[str, str]:
    """Split Markdown into prose without link targets, and the code of fenced blocks."""
    prose: list[str] = []
    code: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        match = _FENCE.match(line)
        mark = match[1] if match else ""
        if fence:
            closes = mark[:1] == fence[0] and len(mark) >= len(fence) and not line.strip(" \t>").strip(fence[0])
            fence = "" if closes else fence
            if not closes:
                code.append(line)
        elif mark:
            fence = mark
        else:
            prose.append(line)
    return _ESCAPE.sub(r"\1", _ANCHOR.sub("", _LINK_TARGET.sub("] ", "\n".join(prose)))), "\n".join(code)


def readable_markdown(markdown: str) -> str:
    """Markdown without link targets, anchors and escapes, with its code and the same number of lines."""
    lines_out: list[str] = []
    prose: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        match = _FENCE.match(line)
        mark = match[1] if match else ""
        if fence or mark:
            lines_out += _readable(prose)
            prose = []
            lines_out.append(line)
            if not fence:
                fence = mark
            elif mark[:1] == fence[0] and len(mark) >= len(fence) and not line.strip(" \t>").strip(fence[0]):
                fence = ""
        else:
            prose.append(line)
    return "\n".join([*lines_out, *_readable(prose)])


def _readable(prose: list[str]) -> list[str]:
    return [_ESCAPE.sub(r"\1", _ANCHOR.sub("", _LINK_TARGET.sub("] ", line))) for line in prose]
