"""Cut the stream of a model into sentences, list items and code blocks, with the Markdown that an answer may contain.

Readers get text that a strict renderer shows as it is: no images, no HTML, no other links.
"""

import html
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from searchsocket.text.hidden import without_hidden

_CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\s*(?:\([^)]*\)?|\[[^\]]*\])?")
_LINK = re.compile(r"\[([^\[\]]*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s]*)*)>?(?:\s+[\"'(][^)]*)?\s*\)")
_REFERENCE = re.compile(r"\[([^\[\]]+)\]\[[^\[\]]*\]")
_DEFINITION = re.compile(r"\[[^\[\]]+\]:")
_ADDRESS = re.compile(
    r"<?(?<![\w:])((?:[a-z][a-z0-9+.-]{1,20}://|www\.|//(?=\w)|(?:mailto|javascript|vbscript|data|file|tel):(?=\S))"
    r"[^\s<>\"]*)>?",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])|&(?:#\w+|[A-Za-z]\w+);")
_BARE_TAG = re.compile(r"<[A-Za-z][\w.-]*\s?/?>")  # a placeholder, or the name of an element
_EMPHASIS = re.compile(
    r"(?<![\w*\\])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])|(?<![\w\\])_(?=[^\s_])([^_\n]+?)(?<=\S)_(?!\w)"
)
_STRUCK = re.compile(r"~~(.+?)~~")
_SENTENCE_END = ".,;:!?)]}'\"»”’"


def without_unsafe_markup(text: str, pages: Container[str]) -> str | None:
    """Return a sentence with the Markdown that may be shown; None if it contains HTML or defines a link.

    Images are removed. A link to another address than a cited page becomes its text. A bare address, and a name in
    angle brackets, such as `<path>`, become code.

    Args:
        pages: Addresses of the cited pages.
    """
    parts = list(_parts(text))
    cleaned = []
    for is_code, part in parts:
        if is_code:
            cleaned.append(f"`{part}`")
            continue
        plain = html.unescape(html.unescape(part))
        if _DEFINITION.match(plain.lstrip()):
            return None
        plain = _IMAGE.sub("", plain)
        links: list[str] = []

        def keep(match: re.Match[str], links: list[str] = links) -> str:
            if match[2] not in pages or not match[1].strip():
                return match[1]
            links.append(match[0])
            return f"\0{len(links) - 1}\0"

        plain = _LINK.sub(keep, plain.replace("\0", ""))
        plain = _REFERENCE.sub(r"\1", plain)
        plain = _ADDRESS.sub(_as_code, plain)
        if _TAG.search(_BARE_TAG.sub("", plain)):
            return None
        plain = _BARE_TAG.sub(r"`\g<0>`", plain)
        plain = _EMPHASIS.sub(lambda match: match[1] or match[2], _STRUCK.sub(r"\1", plain))
        plain = plain.replace("![", "[").replace("](", "] (")
        for number, link in enumerate(links):
            plain = plain.replace(f"\0{number}\0", link)
        cleaned.append(plain)
    result = "".join(cleaned)
    if result.count("**") % 2:
        result = result.replace("**", "")
    return " ".join(result.split())


def plain_text(markdown: str) -> str:
    """Return a sentence without the signs of Markdown outside of its code spans."""
    text = "".join(f"`{part}`" if is_code else part for is_code, part in _parts(_LINK.sub(r"\1", markdown)))
    return text.replace("**", "")


def code_spans(markdown: str) -> list[str]:
    """Return the code spans of a sentence."""
    return [part for is_code, part in _parts(markdown) if is_code]


def prose(markdown: str) -> str:
    """Return a sentence with spaces for its code spans."""
    return "".join(" " if is_code else part for is_code, part in _parts(markdown))


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the code spans of a text, and the text between them, without other backticks."""
    start = 0
    for match in _CODE_SPAN.finditer(text):
        yield False, text[start : match.start()].replace("`", "")
        if code := match[2].replace("`", "").strip():
            yield True, code
        start = match.end()
    yield False, text[start:].replace("`", "")


def _as_code(match: re.Match[str]) -> str:
    address = match[1].rstrip(_SENTENCE_END)
    return f"`{address}`{match[1][len(address) :]}"


Kind = Literal["text", "item", "code"]

MAX_PIECE_CHARS = 2_000  # of a sentence or item; a longer one is cut there
MAX_CODE_CHARS = 8_000
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`\n]*")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r" {0,3}(?:#{1,6}\s|[-=*_]{3,}\s*$)")
_QUOTE = re.compile(r" {0,3}>\s?")
_LINE_START = re.compile(r"\s*(?:[`~#>*+•=_-]|\d{1,3}(?:[.)]|$)|$)")  # the kind of such a line is known at its end
_MARKS = r"(?:\s*(?:\[\^?\d[\d,;\s]*\]|【[^】]{0,40}】))*"
_END = re.compile(rf"(?:[.!?…][\"')\]*_”’]*(?=\s|\[\^?\d|【)|[。！？][”’」』）]*){_MARKS}")
_MARK = re.compile(r"\s*(?:\[\^?(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?!\()|【(\d{1,3})[^】]{0,40}】)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|Mr|Mrs|Dr|St|No|Fig|z\.B|d\.h|bzw|p\.ex)|\b[A-Z])\.$"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, a list item or a code block of an answer."""

    kind: Kind
    text: str  # without citations
    citations: tuple[int, ...]  # numbers of passages, as the model wrote them
    paragraph: int  # from 0


class PieceReader:
    """Reads a stream of Markdown; for one thread. The pieces do not depend on how the stream is cut."""

    def __init__(self) -> None:
        self._line = ""  # a line whose kind is not known yet
        self._run = ""  # text of the paragraph that is not a complete sentence yet
        self._code: list[str] | None = None  # lines of the code block; None outside of one
        self._fence = ""
        self._is_text = False  # the start of the line is in `_run` already
        self._paragraph = 0
        self._has_text = False  # in this paragraph

    def feed(self, text: str) -> Iterator[Piece]:
        """Add text, and yield the pieces that are complete."""
        *lines, last = text.split("\n")
        for line in lines:
            self._line += line
            yield from self._end_line()
        self._line += last
        yield from self._begin_text()
        if len(self._line) > MAX_CODE_CHARS:
            yield from self._end_line()

    def close(self) -> Iterator[Piece]:
        """Yield the rest."""
        yield from self._end_line()
        yield from self._end_block()

    def _begin_text(self) -> Iterator[Piece]:
        """Yield sentences of a line before it ends, if it can only be text."""
        if self._code is None and (self._is_text or not _LINE_START.match(self._line)):
            self._run += self._line
            self._line, self._is_text = "", True
            yield from self._sentences(is_over=False)

    def _end_line(self) -> Iterator[Piece]:
        line, self._line = self._line.rstrip("\r"), ""
        is_text, self._is_text = self._is_text, False
        if self._code is not None:
            yield from self._code_line(line)
        elif is_text:
            self._run += f"{line} "
            yield from self._sentences(is_over=False)
        elif fence := _FENCE.match(line):
            yield from self._end_block()
            self._code, self._fence = [], fence[1]
        elif item := _ITEM.match(line):
            yield from self._end_paragraph()
            yield from self._piece("item", line[item.end() :][:MAX_PIECE_CHARS])
            yield from self._end_paragraph()
        elif not line.strip() or _HEADING.match(line):
            yield from self._end_paragraph()
        else:
            self._run += f"{_QUOTE.sub('', line)} "
            yield from self._sentences(is_over=False)

    def _code_line(self, line: str) -> Iterator[Piece]:
        assert self._code is not None
        mark = line.strip()
        is_end = len(mark) >= len(self._fence) and set(mark) == {self._fence[0]}
        if not is_end:
            self._code.append(line)
        if is_end or sum(map(len, self._code)) > MAX_CODE_CHARS:
            yield from self._end_block()

    def _end_paragraph(self) -> Iterator[Piece]:
        """Yield its rest; each list item is a paragraph too."""
        yield from self._end_block()
        self._paragraph += self._has_text
        self._has_text = False

    def _end_block(self) -> Iterator[Piece]:
        """Yield the rest of a paragraph or of a code block."""
        if self._code is not None:
            code, self._code = without_hidden("\n".join(self._code))[:MAX_CODE_CHARS].strip("\n"), None
            if code:
                self._has_text = True
                yield Piece("code", code, (), self._paragraph)
        yield from self._sentences(is_over=True)

    def _sentences(self, *, is_over: bool) -> Iterator[Piece]:
        start = 0
        spans = [match.span() for match in _CODE_SPAN.finditer(self._run)]
        for match in _END.finditer(self._run):
            end = match.end()
            if any(begin < match.start() < stop for begin, stop in spans):
                continue
            if match.start() < start or _ABBREVIATION.search(self._run[start : match.start() + 1]):
                continue
            following = self._run[end:].lstrip()
            is_in_code = self._run.count("`", start, end) % 2  # a code span may end later
            if not is_over and (is_in_code or not following or following[0] in "[【"):
                break  # a citation may follow
            yield from self._piece("text", self._run[start:end])
            start = end
        self._run = self._run[start:]
        if is_over or len(self._run) > MAX_PIECE_CHARS:
            rest, self._run = self._run, ""
            yield from self._piece("text", rest[:MAX_PIECE_CHARS])

    def _piece(self, kind: Kind, text: str) -> Iterator[Piece]:
        piece = without_marks(Piece(kind, without_hidden(text), (), self._paragraph))
        if piece.text:
            self._has_text = True
            yield piece


def without_marks(piece: Piece) -> Piece:
    """Return a piece with its citations as numbers, outside of code spans."""
    numbers: list[int] = []
    parts, start = [], 0

    def take(text: str) -> str:
        numbers.extend(
            int(number) for match in _MARK.finditer(text) for number in re.findall(r"\d+", match[1] or match[2])
        )
        return _MARK.sub("", text)

    for span in _CODE_SPAN.finditer(piece.text):
        parts += [take(piece.text[start : span.start()]), span[0]]
        start = span.end()
    parts.append(take(piece.text[start:]))
    return replace(piece, text=" ".join("".join(parts).split()), citations=tuple(dict.fromkeys(numbers)))


def sentences_of(item: Piece) -> list[Piece]:
    """Return the sentences of a list item."""
    reader = PieceReader()
    # The letter keeps an item that starts with a sign from being read as another block.
    pieces = [*reader.feed(f"x{item.text}"), *reader.close()]
    return [replace(item, text=piece.text[not at :]) for at, piece in enumerate(pieces)]
