"""Convert inline Markdown to the visible words, for snippets, keyword fields and embeddings.

One pass with explicit stacks: the time is linear on any input, however deep its brackets or stars.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict

MIN_LETTERS = 60  # letters and digits; a shorter text is only a link or a date
# Bounds keep a failed attempt short, so that a run of openers costs linear time.
_LINK = re.compile(r"\[(?:\\.|[^\[\]\\]){1,200}\]\([/#][^()\s]{0,1000}(?:\([^()\s]{0,200}\)[^()\s]{0,200}){0,4}\)")
_ANY_LINK = re.compile(r"\[(?:\\.|[^\[\]\\]){1,200}\]\([^()\s]{0,1000}(?:\([^()\s]{0,200}\)[^()\s]{0,200}){0,4}\)")
_MARKUP = re.compile(r"^ {0,3}#{1,6} .*$|<br */?>", re.MULTILINE)
_WORD = re.compile(r"[^\W_]")


def is_links_alone(markdown: str) -> bool:
    """Return True if all words are in headings and links to pages of the site: a table of contents, an index.

    Its content is on the linked pages. A list of links to other sites is content, since it is nowhere else here.
    """
    text, links = _LINK.subn("", _MARKUP.sub("", markdown))
    return links > 0 and _WORD.search(text) is None


def letter_count(markdown: str) -> int:
    """The number of letters and digits outside headings and links."""
    return len(_WORD.findall(_ANY_LINK.sub("", _MARKUP.sub("", markdown))))


_SPECIAL = re.compile(r"[\\`\[\]*_~<&]")
# Bounds keep a failed attempt short, so that a run of openers costs linear time.
_TARGET = re.compile(
    r"""\(\s{0,20}(?:<[^<>\n]{0,2000}>|[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()]{0,500}){0,8})"""
    r"""(?:\s{1,20}(?:"(?:\\.|[^"\\]){0,500}"|'(?:\\.|[^'\\]){0,500}'))?\s{0,20}\)"""
)
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,50}\]:?")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{0,2000})>")
_BREAK = re.compile(r"<br *\/?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ESCAPABLE = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_URL_LIKE = re.compile(r"\(<?(?:[a-z]{2,8}:|[/.#?])", re.IGNORECASE)
_NEEDS_ESCAPE = re.compile(r"[\\`*_\[\]<~&]|^(?:[#>+|=-]|\d{1,9}(?=[.)]))|\{(?=#)")


def inline_text(markdown: str) -> str:
    """The visible text of inline Markdown (a heading, a link's text), on one line."""
    text = _inline(markdown)
    if text.isprintable() and "  " not in text:  # the only blanks are single spaces
        return text.strip(" ")
    return " ".join(text.split())


def escape_inline(text: str) -> str:
    """Escape plain text as Markdown, on one line; `inline_text` and `plain_text` are the inverse."""
    one_line = " ".join(text.split())
    return _NEEDS_ESCAPE.sub(lambda m: m[0] + "\\" if m[0].isdigit() else "\\" + m[0], one_line)


def _inline(text: str) -> str:
    return _Inline(text).run() if _is_marked_up(text) else text


def _is_marked_up(text: str) -> bool:
    # Nine searches for single characters cost a tenth of one regular expression.
    return (
        "`" in text
        or "[" in text
        or "\\" in text
        or "*" in text
        or "_" in text
        or "]" in text
        or "<" in text
        or "&" in text
        or "~" in text
    )


class _Inline:
    """One pass over inline Markdown. `out` has the text so far; a delimiter is blanked when its partner is read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.out: list[str] = []
        self.brackets: list[int] = []  # places in `out` of `[` and `![` that may still open a link
        self.openers: dict[str, list[tuple[int, int]]] = defaultdict(list)  # (place in `out`, run left)
        self.ticks: dict[int, list[int]] | None = None  # run length -> starts of such runs

    def run(self) -> str:
        text, at = self.text, 0
        while (match := _SPECIAL.search(text, at)) is not None:
            start = match.start()
            if start > at:
                self.out.append(text[at:start])
            at = self._step(start, text[start])
        self.out.append(text[at:])
        return "".join(self.out)

    def _step(self, at: int, char: str) -> int:
        match char:
            case "\\":
                return self._escape(at)
            case "`":
                return self._code_span(at)
            case "[":
                return self._open_bracket(at)
            case "]":
                return self._close_bracket(at)
            case "<":
                if (link := _AUTOLINK.match(self.text, at)) is not None:
                    return self._emit(link[1], link.end())
                if (end := _BREAK.match(self.text, at)) is not None:
                    return self._emit(" ", end.end())
            case "&":
                if (entity := _ENTITY.match(self.text, at)) is not None:
                    return self._emit(html.unescape(entity[0]), entity.end())
            case _:
                return self._delimiter(at, char)
        return self._emit(char, at + 1)

    def _emit(self, text: str, end: int) -> int:
        self.out.append(text)
        return end

    def _escape(self, at: int) -> int:
        following = self.text[at + 1 : at + 2]
        if following == "\n":
            return self._emit("\n", at + 2)
        if following in _ESCAPABLE:
            return self._emit(following, at + 2)
        return self._emit("\\", at + 1)

    def _code_span(self, at: int) -> int:
        end = _run_end(self.text, at)
        following = self.text.find("`", end)
        if following >= 0 and _run_end(self.text, following) - following == end - at:
            return self._emit_code(end, following)
        if self.ticks is None:
            self.ticks = defaultdict(list)
            for run in re.finditer("`+", self.text):
                self.ticks[run.end() - run.start()].append(run.start())
        same = self.ticks[end - at]
        later = bisect_right(same, at)
        if later == len(same):
            return self._emit(self.text[at:end], end)
        return self._emit_code(end, same[later])

    def _emit_code(self, start: int, end: int) -> int:
        code = self.text[start:end].replace("\n", " ")
        if len(code) > 2 and code[0] == code[-1] == " " and code.strip():
            code = code[1:-1]
        return self._emit(code, _run_end(self.text, end))

    def _open_bracket(self, at: int) -> int:
        if (note := _FOOTNOTE.match(self.text, at)) is not None:
            return note.end()
        if self.out and self.out[-1].endswith("!") and self.text[at - 1] == "!" and self.text[at - 2 : at] != "\\!":
            self.out[-1] = self.out[-1][:-1]
            self.brackets.append(len(self.out))
            return self._emit("![", at + 1)
        self.brackets.append(len(self.out))
        return self._emit("[", at + 1)

    def _close_bracket(self, at: int) -> int:
        target = _TARGET.match(self.text, at + 1)
        if self.brackets:
            opening = self.brackets.pop()
            if target is not None:
                self.out[opening] = ""
                return target.end()
        elif target is not None and _URL_LIKE.match(self.text, at + 1):
            return target.end()  # the end of a link whose start was cut off
        return self._emit("]", at + 1)

    def _delimiter(self, at: int, char: str) -> int:
        end = _run_end(self.text, at)
        run = end - at
        self.out.append(self.text[at:end])
        before, after = self.text[at - 1 : at] if at else " ", self.text[end : end + 1] or " "
        opens, closes = _flanking(before, after, char)
        if char == "~" and run != 2:
            return end
        stack = self.openers[char]
        while closes and run and stack:
            index, available = stack.pop()
            used = min(run, available)
            run -= used
            self.out[index] = char * (available - used)
            if available > used:
                stack.append((index, available - used))
        self.out[-1] = char * run
        if opens and run:
            stack.append((len(self.out) - 1, run))
        return end


def _flanking(before: str, after: str, char: str) -> tuple[bool, bool]:
    """Return (can open, can close) emphasis for a run between these characters, as in CommonMark."""
    left = not after.isspace() and (not _is_punctuation(after) or before.isspace() or _is_punctuation(before))
    right = not before.isspace() and (not _is_punctuation(before) or after.isspace() or _is_punctuation(after))
    if char != "_":
        return left, right
    return left and (not right or _is_punctuation(before)), right and (not left or _is_punctuation(after))


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


def _run_end(text: str, at: int) -> int:
    char, end = text[at], at + 1
    while end < len(text) and text[end] == char:
        end += 1
    return end
