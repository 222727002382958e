"""Cut a sentence into clauses: words with their meanings, and literal parts, which a passage must contain.

Literal parts are code, flags, names of files and identifiers, addresses, numbers with their units, and names.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from searchsocket.extensions.answers.pieces import code_spans, plain_text
from searchsocket.models.embedders.builtin import word_vector
from searchsocket.text.words import STOP_WORDS, index_words

OPENING, CLOSING = "([{\"'“‘«*", ".,;:!?…)]}\"'”’»*"
QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": "", "‑": "-", "\u00a0": " "})
CLAUSE_END = re.compile(  # `git-stash(1)` is one word
    r"[,;:]\s+|\s[–—-]\s|(?<!\w)\(|(?<!\w\(\d)\)|(?<=[。，；、])|\s(?=(?:and|but|or|because|so|while|whereas|if|unless|until|when|without|und|oder|aber|ohne)\s)"
)
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NUMBER = re.compile(r"[vV]?(\d+(?:[.,:]\d+)*)(%|[A-Za-zµ]{1,4})?")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+|\S+@\S+\.\w+", re.IGNORECASE)
_FLAG = re.compile(r"-{1,2}[A-Za-z][\w-]*(?:=\S+)?")
_IDENTIFIER = re.compile(
    r"[$@#]\w+|\w*[a-z0-9][A-Z]\w*|\w*_\w+|\S*::\S*|[\w.]+\(\)|\.?[\w-]+(?:\.[\w-]+)+|\.[A-Za-z]\w+|\S*[\\/]\S*"
)
_WORDS_OF_PROSE = re.compile(r"[a-z]{2,}(?:/[a-z]{2,})+|[a-z](?:\.[a-z])+\.?")
_NAME = re.compile(r"[A-ZÀ-ÞА-Я][\w'’+#&.-]*")
_NUMBER_LISTS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty",
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {word: str(number) for words in _NUMBER_LISTS for number, word in enumerate(words.split())}
NUMBER_WORDS |= {word: str(10 * number) for number, word in enumerate(_TENS.split(), start=2)}
del NUMBER_WORDS["one"], NUMBER_WORDS["null"]  # "one of them", and a value in code
UNITS = {
    form: forms.split()[0]
    for forms in (
        "s sec secs second seconds sekunden sekunde", "ms millisecond milliseconds", "min mins minute minutes minuten",
        "h hour hours hr hrs stunden stunde", "d day days tage tagen", "week weeks wochen", "month months monate",
        "year years jahre", "b byte bytes", "kb kilobyte kilobytes kib", "mb megabyte megabytes mib",
        "gb gigabyte gigabytes gib", "tb terabyte terabytes", "% percent prozent", "$ dollar dollars usd",
        "€ euro euros eur", "px pixel pixels", "x times",
    )
    for form in forms.split()
}  # fmt: skip
NEGATION = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|nowhere|without|cannot|neither|nor|unless|unable|refus\w+"
    r"|nicht|kein\w*|nie|niemals|ohne|jamais|sans|nunca|sin)\b|\w+n['’]t\b",
    re.IGNORECASE,
)
# Words that begin a sentence without being a name or a claim.
_STARTER_LIST = (
    "additionally afterwards alternatively also although answer ask besides build by call change check choose click "
    "configure consider copy create define delete disable do download edit enable ensure enter example export finally "
    "fix follow further furthermore generally give go help hence here however import instead install keep launch like "
    "likewise list load look make merge meanwhile moreover move name next note now open optionally otherwise overall "
    "pass paste pick place please press print provide pull push put read rebuild reload remove rename replace "
    "restart return run save search see select send set show similarly simply since sometimes specify start stop "
    "store subsequently switch tell therefore thus together try turn type typically uninstall update upgrade upload "
    "use using usually verify view visit wait write yes no"
)
_STARTERS = frozenset(_STARTER_LIST.split())
# Words that say nothing by themselves.
_EMPTY_LIST = (
    "answer following steps step example examples way ways use used using uses user users want need needs "
    "documentation docs page pages passage passages according means mean make makes get gets also like via please "
    "note may must provide provides provided let lets say says simply run execute set see then try open "
    "check choose type enter call first next finally per whether however therefore instead specific "
    "file files command commands option options setting settings function method parameter argument flag "
    "field named called"
)
_EMPTY = frozenset(_EMPTY_LIST.split())
_VERB_LIST = "is are was were be been being has have had do does did will would can could should may might must"
_VERBS = frozenset(_VERB_LIST.split())


class Anchor(NamedTuple):
    """A literal part of a sentence."""

    kind: str  # `code`, `literal`, `number` or `name`
    text: str
    unit: str = ""  # of a number


class Clause(NamedTuple):
    """A part of a sentence."""

    text: str
    words: tuple[str, ...]  # without stop words
    anchors: tuple[Anchor, ...]


def split_clauses(text: str) -> Iterator[str]:
    """Yield the parts of a sentence; a reason that is denied is one part: "This is not because it is old"."""
    before = ""
    for part in CLAUSE_END.split(text):
        if not part or not part.strip():
            continue
        if before and not part.startswith("because "):
            yield before
            before = ""
        if NEGATION.search(part) and "\0" not in part and not any(content_words(part, ())):
            before = part
        else:
            yield f"{before} {part}".lstrip()
            before = ""
    if before:
        yield before


def clauses_of(sentence: str, known: Collection[str] = (), *, has_names: bool = True) -> list[Clause]:
    """Cut a sentence into clauses with their words and literals; one without any is left out.

    Args:
        known: Words of the passages: one of them in small letters is not a name at the start of a sentence.
        has_names: A word with a capital letter is a name.
    """
    spans = code_spans(sentence)
    marked = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", " \0 ", sentence)
    clauses: list[Clause] = []
    first = next(iter(_NAME.findall(marked.lstrip(OPENING))), "") if marked.lstrip(OPENING)[:1].isupper() else ""
    remaining = iter(spans)
    is_later = False
    for part in split_clauses(marked):
        codes = [Anchor("code", next(remaining, "")) for _ in range(part.count("\0"))]
        plain = plain_text(part.replace("\0", " "))
        whole = plain_text(part)
        for code in codes:
            whole = whole.replace("\0", code.text, 1)
        anchors = [*codes, *anchors_of(plain, known, "" if is_later else first, has_names=has_names)]
        is_later = True
        words = tuple(content_words(plain, anchors))
        if words or anchors:
            clauses.append(Clause(whole, words, tuple(anchors)))
    return clauses


def content_words(text: str, anchors: Collection[Anchor]) -> Iterator[str]:
    """Yield the words of a text that say something, in small letters, without its literals."""
    literals = {part for anchor in anchors for part in anchor.text.casefold().split()}
    for token in text.split():
        plain = token.strip(OPENING + CLOSING).translate(QUOTES)
        if plain.casefold() in literals:
            continue
        for word in WORD.findall(plain.casefold()):
            bare = word.removesuffix("'s")
            is_empty = bare in STOP_WORDS or bare in _VERBS or bare in _EMPTY or NEGATION.fullmatch(bare)
            if (
                not is_empty
                and bare not in NUMBER_WORDS
                and not bare[0].isdigit()
                and (len(bare) > 1 or not bare.isascii())
            ):
                yield bare


def anchors_of(text: str, known: Collection[str], first: str, *, has_names: bool) -> Iterator[Anchor]:
    """Yield the literal parts of a text; `first` is the word at its start, the others as in `clauses_of`."""
    tokens = text.split()
    for token, following in zip(tokens, [*tokens[1:], ""], strict=False):
        plain = token.strip(OPENING).rstrip(CLOSING).translate(QUOTES)
        if token.rstrip(".,;:").endswith("()"):
            plain = token.strip(OPENING + ".,;:").removesuffix("()")
            yield Anchor("literal", plain)
            continue
        if not plain:
            continue
        if number := _number_anchor(plain, following):
            yield number
        elif _ADDRESS.fullmatch(plain):
            yield Anchor("literal", address_of(plain))
        elif _FLAG.fullmatch(plain) or (_IDENTIFIER.fullmatch(plain) and not _WORDS_OF_PROSE.fullmatch(plain)):
            yield Anchor("literal", plain)
        elif any(map(str.isdigit, plain)):
            yield Anchor("name", plain)
        elif _is_name(plain, known, first, has_names=has_names):
            yield Anchor("name", re.sub(r"['’]s?$", "", plain))


def _is_name(word: str, known: Collection[str], first: str, *, has_names: bool) -> bool:
    if not _NAME.fullmatch(word) or (not has_names and not (len(word) > 1 and word.isupper())):
        return False
    lower = re.sub(r"['’](?:s|re|ll|ve|d|m)$", "", word.lower())
    if word == "I" or lower in STOP_WORDS or lower in _VERBS:
        return False
    if NEGATION.fullmatch(lower) or lower in NUMBER_WORDS:
        return False
    return word != first or not (lower in _STARTERS or lower in known)


def _number_anchor(word: str, following: str) -> Anchor | None:
    if (lower := word.lower()) in NUMBER_WORDS:
        return Anchor("number", NUMBER_WORDS[lower], UNITS.get(following.strip(CLOSING).lower(), ""))
    head, hyphen, tail = word.partition("-")
    if hyphen and head.lower() in NUMBER_WORDS:
        return Anchor("number", NUMBER_WORDS[head.lower()], UNITS.get(tail.lower(), ""))
    currency = word[:1] if word[:1] in "$€£" else ""
    match = _NUMBER.fullmatch(word[len(currency) :]) or (_NUMBER.fullmatch(head) if tail.isalpha() else None)
    if not match:
        return None
    unit = currency or match[2] or (tail if tail.isalpha() else "")
    if match[2] and not UNITS.get(unit.lower()):
        return Anchor("name", word)  # `3rd`, `2x4`
    return Anchor("number", number_of(match[1]), UNITS.get((unit or following.strip(CLOSING)).lower(), ""))


def number_of(text: str) -> str:
    """Return a number without the commas of its thousands."""
    return text.replace(",", "") if _THOUSANDS.fullmatch(text) else text


def address_of(text: str) -> str:
    """Return an address without the end of the sentence and the last slash."""
    return text.rstrip(CLOSING).rstrip("/")


_SAME_MEANING = 0.62  # cosine of two words
_OPPOSITES = (
    "enable disable, enabled disabled, on off, true false, before after, above below, more less, most least, "
    "maximum minimum, max min, larger smaller, increase decrease, increases decreases, required optional, always "
    "never, first last, start stop, starts stops, start end, starts ends, allow refuse, allows refuses, allow "
    "deny, allows denies, accept reject, accepts rejects, accepted rejected, include exclude, includes excludes, "
    "included excluded, add remove, adds removes, added removed, create delete, creates deletes, open close, "
    "opens closes, public private, local remote, read write, reads writes, faster slower, newer older, newest "
    "oldest, synchronous asynchronous, client server, input output, left right, top bottom, inside outside, with "
    "without, ascending descending, mutable immutable, safe unsafe, everyone nobody, all none, all some, every "
    "some, only also, old new, higher lower, highest lowest, longer shorter, longest shortest, up down, internal "
    "external, visible hidden, upload download, horizontal vertical, positive negative, push pull, install "
    "uninstall, load unload, lock unlock, mount unmount, valid invalid, known unknown, succeed fail, succeeds "
    "fails, show hide, shows hides, supported unsupported, recommended discouraged, absolute relative, global "
    "local"
)
_SAME_LISTS = (
    "show display print list", "delete remove", "return give", "need require", "check verify validate",
    "start begin launch", "read load parse", "store save write", "create make generate", "find locate",
    "change modify edit update", "stop end finish", "configure set", "get obtain receive", "contain include",
    "folder directory", "run execute", "every each all", "maximum max most", "minimum min least", "large big",
    "fast quick", "error failure", "allow permit", "website site", "request ask", "keep retain", "respond answer",
    "pick choose select", "also too", "build compile", "join merge combine", "skip ignore", "send transmit",
    "per each", "otherwise else", "sent send", "kept keep", "written write", "built build", "found find", "made make",
    "chosen choose", "shown show", "given give", "taken take", "held hold", "left leave", "lost lose", "begun begin",
    "known know", "done do", "gone go", "bought buy", "brought bring", "caught catch", "drawn draw", "driven drive",
    "broken break", "hidden hide", "paid pay", "said say", "sold sell", "spoken speak", "split splitting", "told tell",
    "understood understand", "won win", "ran run", "set setting", "cut cutting", "met meet", "read reading",
    "use take employ utilize apply", "about approximately", "kind type", "newer later", "older earlier",
    "wrong incorrect",
)  # fmt: skip


@lru_cache(maxsize=100_000)  # models choose the words
def is_similar(word: str, other: str) -> bool:
    """Return True if two words mean about the same."""
    if _same_words().get(forms_of(word), set()) & _same_words().get(forms_of(other), set()):
        return True
    if not (other.isascii() and other.isalpha() and len(other) > 2) or other in STOP_WORDS:
        return False
    if other in opposites().get(word, ()):
        return False
    return float(word_vector(word)[0] @ word_vector(other)[0]) >= _SAME_MEANING


@lru_cache(maxsize=20_000)
def forms_of(word: str) -> frozenset[str]:
    """Return the forms of a word that are indexed."""
    return frozenset(index_words(word))


@cache
def _same_words() -> Mapping[frozenset[str], set[int]]:
    """Numbers of the lists that have a word, by its stem."""
    numbers: dict[frozenset[str], set[int]] = {}
    for number, words in enumerate(_SAME_LISTS):
        for word in words.split():
            numbers.setdefault(forms_of(word), set()).add(number)
    return numbers


@cache
def opposites() -> Mapping[str, frozenset[str]]:
    """Return the opposites of each word that has one."""
    pairs = [tuple(pair.split()) for pair in _OPPOSITES.split(", ")]
    both = [*pairs, *((b, a) for a, b in pairs)]
    return {word: frozenset(b for a, b in both if a == word) for word, _ in both}
