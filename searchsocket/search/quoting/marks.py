"""Find the words of the query in a text, by the same forms as the index."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import NamedTuple, TypeVar

from searchsocket.text.late_pattern import LatePattern
from searchsocket.text.synonyms import NO_SYNONYMS, Forms, Synonyms
from searchsocket.text.variants import variants_of
from searchsocket.text.words import fold, parse_query, word_forms

_MIN_PREFIX = 3
_MAX_MARKED_CHARS = 100_000  # per text; chunks are much shorter
_MAX_CACHED_CHARS = 4_000  # a longer text is split into words each time
_MAX_WORD_CHARS = 64  # longer runs are data, not words
# Each word costs a pass over every quoted text; a longer query is marked by its longest words.
_MAX_WORDS = 16
_MAX_LITERAL_CHARS = 100
_MAX_MORE = 16  # the same for synonyms, parts of identifiers, and literals

_COMBINING = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_WORD = re.compile(rf"(?:[^\W_]|[{_COMBINING}])+")
_WORD_REST = re.compile(r"[^\W_]*")
_LETTER = re.compile(r"(?:(?<![^\W_])[^\W_]|(?<![A-Z])[A-Z])(?![^\W_])")  # alone, or the end of `camelC`
_ASCII = re.compile(r"[\x00-\x7f]+")
_OTHER_LETTER = re.compile(rf"[^\W\d_a-zA-Z]|[{_COMBINING}]")
_UNSPACED = LatePattern(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"
)
_RUNS = LatePattern(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+"
    r"|[^\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+"
)
_APOSTROPHE = re.compile(r"['’](?<=\w.)(?=\w)")  # quick to find, as the pattern begins with the character
_LETTERS_BEFORE, _LETTERS_AFTER = re.compile(r"[^\W\d_]{1,32}$"), re.compile(r"[^\W\d_]{1,32}")
_forms = lru_cache(maxsize=1 << 16)(word_forms)  # words repeat: from one snippet to the next, and between queries


def _words(text: str) -> Iterator[tuple[int, str]]:
    return ((match.start(), match[0]) for match in _WORD.finditer(text))


@lru_cache(maxsize=1 << 10)  # about 25 MB
def _all_words(text: str) -> tuple[tuple[int, str], ...]:
    """Return every word with its start; cached, since popular chunks are quoted often."""
    return tuple(_words(text))


_T = TypeVar("_T")
_Range = tuple[int, int, str]  # start and end of a mark, and its query word
_QueryWord = tuple[str, bool]  # the query word that a word matches or "", and True if it is not only a part


class Mark(NamedTuple):
    """A range of code points of a text that is a query word."""

    start: int
    end: int
    word: str  # equal for marks of one query word


_as_mark = partial(tuple.__new__, Mark)  # takes a third of the time of `Mark(*range)`


class QueryWords:
    """Marks the words of one query in texts, by the forms of the index: `install` matches `installing`."""

    def __init__(self, q: str, synonyms: Synonyms = NO_SYNONYMS, corrections: Sequence[tuple[str, Forms]] = ()) -> None:
        """Prepare the words of a query.

        Args:
            corrections: Words of the query, and forms that they may mean, see `WordEvidence`.
        """
        parsed = parse_query(q)
        # Stop words are marked only if the query has no other words.
        words = [word for word in parsed.words if not word.is_stop] or list(parsed.words)
        words = _longest(words, _MAX_WORDS, lambda word: word.exact)
        synonyms_of, variants = synonyms.of(parsed.order), variants_of(q)
        others = ((*synonyms_of.get(word.exact, ()), *variants.get(word.exact, ())) for word in words)
        added = {forms: word.exact for word, forms_of in zip(words, others, strict=True) for forms in forms_of}
        added |= {forms: word for word, forms in corrections}
        own = {form: word.exact for word in words for form in (word.exact, word.stem) if form}
        singles = [(forms[0], exact) for forms, exact in added.items() if len(forms) == 1 and forms[0] not in own]
        self._whole = own | dict(_longest(singles, _MAX_MORE, lambda single: single[0]))
        runs = [(forms, exact) for forms, exact in added.items() if len(forms) > 1]
        self._runs = [(_run(forms), forms, exact) for forms, exact in runs[:_MAX_MORE]]
        parts = [(part, word.exact) for word in words for part in word.parts if part not in self._whole]
        self._parts = dict(_longest(parts, _MAX_MORE, lambda part: part[0]))
        self._cache: dict[str, _QueryWord] = {}  # words of texts, which repeat from text to text
        literals = _literals(q)[:_MAX_MORE]
        self._literals = _any_of(literals) if literals else None
        # A plain text in lower case contains one of these if it contains a literal; "" is in every text.
        self._literal_needles = [literal.lower() if literal.isascii() else "" for literal in literals]
        forms = [*self._whole, *self._parts]
        self._has_letters = any(len(form) == 1 for form in forms)
        self._needles = _needles(form for form in forms if len(form) > 1)
        # Search as you type: the last word may be incomplete.
        last = fold(_WORD.findall(q)[-1]) if parsed.open_ended and _WORD.search(q) else ""
        self._prefix = last if len(last) >= _MIN_PREFIX else ""

    def marks(self, text: str) -> list[Mark]:
        """Return the positions of the query's words in `text`, ascending; overlapping ones are merged.

        The parts of an identifier are marked only in texts without the whole identifier.
        """
        text = text[:_MAX_MARKED_CHARS]
        lower, is_plain = _lower(text) if len(text) <= _MAX_CACHED_CHARS else _lower.__wrapped__(text)
        whole = self._literal_marks(text, lower, is_plain) if self._literals else []
        if self._runs:
            whole += self._run_marks(text)
        parts: list[_Range] = []
        if is_plain:
            self._add_likely(text, lower, whole, parts)
        else:
            self._add_all(text, whole, parts)
        if "'" in text or "’" in text:
            whole += self._apostrophe_marks(text)
        if parts:
            words = {word for _, _, word in whole}
            whole += [mark for mark in parts if mark[2] not in words]
        if not whole and self._prefix:
            whole = self._prefix_marks(text, lower, is_plain)
        return _merge(whole) if whole else []

    def _add_likely(self, text: str, lower: str, whole: list[_Range], parts: list[_Range]) -> None:
        """Add marks in a plain text: compares only words that start like a query word, also inside `camelCase`."""
        find, match_to_end, cache = lower.find, _WORD_REST.match, self._cache
        for needle, longer in self._needles:
            size, word_end = len(needle), 0
            at = find(needle)
            while at >= 0:
                end = at + size
                is_start = at == 0 or not lower[at - 1].isalnum() or text[at].isupper()
                if is_start and (at >= word_end or lower.startswith(longer, at)):
                    word_end = match_to_end(lower, end).end()  # type: ignore[union-attr]  # also matches ""
                    word = text[at:word_end]
                    query_word, is_whole = cache.get(word) or self._query_word(word)
                    if query_word:
                        (whole if is_whole else parts).append((at, word_end, query_word))
                    if query_word or not longer or lower.startswith(longer, at):  # else a longer needle may be inside
                        end = word_end
                at = find(needle, end)
        for match in _LETTER.finditer(text) if self._has_letters else ():  # single letters, else found in every word
            query_word, is_whole = cache.get(match[0]) or self._query_word(match[0])
            if query_word:
                (whole if is_whole else parts).append((*match.span(), query_word))

    def _add_all(self, text: str, whole: list[_Range], parts: list[_Range]) -> None:
        """Add marks in other texts: compares every word, since letters have several forms or words have no spaces."""
        for start, word in _all_words(text) if len(text) <= _MAX_CACHED_CHARS else _words(text):
            query_word, is_whole = self._cache.get(word) or self._query_word(word)
            if query_word:
                (whole if is_whole else parts).append((start, start + len(word), query_word))
            elif not word.isascii() and _UNSPACED.search(word):
                for run in _RUNS.finditer(word):
                    whole += self._run_marks_of_script(run[0], start + run.start())

    def _query_word(self, word: str) -> _QueryWord:
        """Return the query word that a word of a text matches; "" for scripts without spaces, and for data."""
        match: _QueryWord = ("", False)
        if not (len(word) > _MAX_WORD_CHARS if word.isascii() else _UNSPACED.search(word)):
            for form in _forms(word):
                query_word = self._whole.get(form) or self._parts.get(form)
                if query_word:
                    match = query_word, form in self._whole
                    break
        self._cache[word] = match
        return match

    def _run_marks_of_script(self, run: str, start: int) -> Iterator[_Range]:
        """Yield the marks in a run of a script without spaces, which is indexed as pairs, or of letters beside one."""
        if not _UNSPACED.match(run):
            query_word, _ = self._query_word(run)
            if query_word:
                yield start, start + len(run), query_word
            return
        for at in range(len(run)):
            for size in (2, 1):
                if at + size <= len(run) and (form := fold(run[at : at + size])) in self._whole:
                    yield start + at, start + at + size, form

    def _apostrophe_marks(self, text: str) -> Iterator[_Range]:
        """Yield the marks of whole words with an apostrophe: `O’Leary`. Of `doctor’s`, `doctor` is marked."""
        for match in _APOSTROPHE.finditer(text):
            after = _LETTERS_AFTER.match(text, match.end())
            before = _LETTERS_BEFORE.search(text[max(match.start() - _MAX_WORD_CHARS, 0) : match.start()])
            if not before or not after or after[0] in "sS":
                continue
            query_word = self._whole.get(next(iter(_forms(before[0] + match[0] + after[0])), ""))
            if query_word:
                yield match.start() - len(before[0]), after.end(), query_word

    def _run_marks(self, text: str) -> Iterator[_Range]:
        """Yield the marks of synonyms with several words."""
        for pattern, forms, word in self._runs:
            for match in pattern.finditer(text):
                pairs = zip(forms, _WORD.findall(match[0]), strict=False)
                if all(form in _forms(text_word) for form, text_word in pairs):
                    yield match.start(), match.end(), word

    def _literal_marks(self, text: str, lower: str, is_plain: bool) -> list[_Range]:
        if is_plain and not any(needle in lower for needle in self._literal_needles):
            return []
        matches = self._literals.finditer(text) if self._literals else ()
        return [(match.start(), match.end(), fold(match[0])) for match in matches]

    def _prefix_marks(self, text: str, lower: str, is_plain: bool) -> list[_Range]:
        if is_plain:  # then words have the same positions in lower case
            if self._prefix not in lower:
                return []
            matches = re.finditer(rf"(?<![^\W_]){re.escape(self._prefix)}[^\W_]*", lower)
        else:
            matches = (
                match for match in _WORD.finditer(text) if fold(match[0][:_MAX_WORD_CHARS]).startswith(self._prefix)
            )
        return [(*match.span(), self._prefix) for match in matches if len(match[0]) <= _MAX_WORD_CHARS]


def _longest(items: list[_T], count: int, text: Callable[[_T], str]) -> list[_T]:
    return items if len(items) <= count else sorted(items, key=lambda item: -len(text(item)))[:count]


@lru_cache(maxsize=1 << 12)  # about 5 MB; popular chunks are quoted often
def _lower(text: str) -> tuple[str, bool]:
    """Return a text in lower case, and True if it is plain: only ASCII letters, at the same positions."""
    lower = text.lower()
    is_plain = text.isascii() or (len(lower) == len(text) and not _OTHER_LETTER.search(_ASCII.sub("", text)))
    return lower, is_plain


def _needles(forms: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the first letters of words with these forms: a stem without the last letter, which endings change.

    Each needle has the longer needles that start with it. They are not searched for: they start at the same positions.
    Some marks are missed: irregular stems (`dying`, `die`), and of three needles with the same start one that follows
    another in capitals without a space (`UNIXUNITS`).
    """
    needles: dict[str, tuple[str, ...]] = {}
    last = ""
    for needle in sorted({form if len(form) < _MIN_PREFIX else form[:-1] for form in forms}):
        if last and needle.startswith(last) and needle.isalnum():  # else its word ends at another position
            needles[last] += (needle,)
        else:
            last = needle
            needles[last] = ()
    return list(needles.items())


def _run(forms: Forms) -> re.Pattern[str]:
    """Return a pattern of consecutive words that start like the forms: a possible synonym of several words."""
    words = (re.escape(form) if len(form) < _MIN_PREFIX else rf"{re.escape(form[:-1])}\w*" for form in forms)
    return re.compile(r"(?<!\w)" + r"[^\w\n]+".join(words) + r"(?!\w)", re.IGNORECASE)


def _literals(q: str) -> list[str]:
    """Return query words with other characters than letters and digits, longest first: `--dry-run`, `C++`."""
    words = {word.strip("\"'`.,;:!?()") for word in q.split() if len(word) <= _MAX_LITERAL_CHARS}
    others = [word for word in words if _WORD.search(word) and not _WORD.fullmatch(word)]
    return sorted(others or parse_query(q).signs, key=lambda word: (-len(word), word))


def _any_of(literals: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of any of the literals, in any case."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, literals))})(?!\w)", re.IGNORECASE)


def _merge(marks: list[_Range]) -> list[Mark]:
    if len(marks) == 1:
        return [_as_mark(marks[0])]
    marks.sort()
    merged: list[Mark] = []
    reached = 0
    for mark in marks:
        start, end, _ = mark
        if start < reached:
            previous = merged[-1]
            merged[-1] = Mark(previous.start, max(reached, end), previous.word)
            reached = max(reached, end)
        else:
            merged.append(_as_mark(mark))
            reached = end
    return merged
