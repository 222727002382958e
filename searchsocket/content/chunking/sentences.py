"""Find places to split prose: between sentences, otherwise between words, otherwise between graphemes."""

import re
from collections.abc import Iterator

from searchsocket.text.graphemes import safe_cut

Part = tuple[str, str]  # (separator after the part before, the part)

_BORDER = re.compile(r"\s+|(?<=[。！？])(?![。！？\s”’」』）)])")
_CLOSERS = "\"'”’»)]*_`"
# Links and images stay whole; the bounds keep a failed attempt short.
_LINK = re.compile(r'!?\[[^\[\]\n]{0,300}\]\([^()\s]{0,1000}(?: "[^"\n]{0,300}")?\)')
_TICKS = re.compile("`+")


def split_sentences(text: str) -> list[Part]:
    """Cut prose into sentences. Joining all parts gives the text, with each run of blanks as one character."""
    return _cut(text, [border for border in _borders(text) if border[2]])


def split_prose(text: str, limit: int) -> list[Part]:
    """Cut prose into parts of at most `limit` characters: sentences, then runs of words, then graphemes."""
    parts: list[Part] = []
    for glue, sentence in split_sentences(text):
        if len(sentence) <= limit:
            parts.append((glue, sentence))
        else:
            parts.extend(_split_sentence(glue, sentence, limit))
    return parts


def slices(text: str, limit: int) -> list[str]:
    """Cut text into pieces of at most `limit` characters that join to exactly the text, never inside a grapheme."""
    pieces: list[str] = []
    at = 0
    while len(text) - at > limit:
        end = safe_cut(text, at + limit, at)
        pieces.append(text[at:end])
        at = end
    pieces.append(text[at:])
    return pieces


def _split_sentence(glue: str, sentence: str, limit: int) -> Iterator[Part]:
    current, before = "", glue
    for word_glue, word in _cut(sentence, list(_borders(sentence))):
        if current and len(current) + len(word_glue) + len(word) <= limit:
            current += word_glue + word
            continue
        if current:
            yield before, current
            before = word_glue
        *full, current = slices(word, limit)
        for piece in full:
            yield before, piece
            before = ""
    yield before, current


def _cut(text: str, borders: list[tuple[int, int, bool]]) -> list[Part]:
    parts: list[Part] = []
    at, glue = 0, ""
    for end, start, _ in borders:
        parts.append((glue, text[at:end]))
        glue = "\n" if "\n" in text[end:start] else text[end:start][:1]
        at = start
    parts.append((glue, text[at:]))
    return parts


def _borders(text: str) -> Iterator[tuple[int, int, bool]]:
    """(end of the left part, start of the right one, between sentences?), outside links and code spans."""
    spans = _whole_spans(text)
    span = next(spans, None)
    for match in _BORDER.finditer(text):
        start, end = match.span()
        while span is not None and span[1] <= start:
            span = next(spans, None)
        if start == 0 or end == len(text) or (span is not None and span[0] < end):
            continue
        yield start, end, start == end or _ends_sentence(text, start, end)


def _ends_sentence(text: str, start: int, end: int) -> bool:
    last = start - 1
    while last > 0 and start - last < 8 and text[last] in _CLOSERS:
        last -= 1
    # A small letter after the dot means an abbreviation: `e.g. this`.
    return text[last] in ".!?…。！？" and not text[end].islower()


def _whole_spans(text: str) -> Iterator[tuple[int, int]]:
    """Code spans and links, in rising order."""
    spans = [match.span() for match in _LINK.finditer(text)] if "](" in text else []
    if "`" in text:
        spans.extend(_code_spans(text))
    yield from sorted(spans)


def _code_spans(text: str) -> list[tuple[int, int]]:
    runs = [match.span() for match in _TICKS.finditer(text)]
    following: dict[int, int] = {}  # length -> nearest later run of that length
    partner: list[int | None] = []
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        partner.append(following.get(length))
        following[length] = index
    partner.reverse()
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(runs):
        closing = partner[index]
        if closing is not None:
            spans.append((runs[index][0], runs[closing][1]))
        index = index + 1 if closing is None else closing + 1
    return spans
