"""Extract a PDF file: text by PDFium, headings by letter size, and anchors that open the page.

Addresses such as `#page=12` open a page in every browser (RFC 8118).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import islice
from typing import Any

from searchsocket.content.page_fields import parse_date
from searchsocket.content.pages import FileExtract

_MAX_PAGES = 2_000
_MAX_PAGE_CHARS = 100_000
_HEADING_SCALE = 1.15  # of the size of most letters
_MAX_HEADING_CHARS = 150
_MIN_HEADING_LETTERS = 3
_MAX_LEVELS = 3  # heading levels that are distinguished
_PAGE_LEVEL = _MAX_LEVELS + 2  # of the generated heading of a page without one
_MAX_OUTLINE = 20_000
_GAP_SCALE = 1.75  # distance between lines, in line heights; a larger gap starts a paragraph
_MIN_REPEATS = 3  # pages that must repeat a first or last line for it to be a header or footer
_DATE = re.compile(r"D:(\d{4})(\d{2})(\d{2})")
_DIGITS = re.compile(r"\d+")
_HYPHEN = re.compile("\ufffe *(.?)")  # PDFium's mark of a hyphen at the end of a line


@dataclass(frozen=True, slots=True)
class PdfLine:
    """One line of text, or several that a hyphen joined."""

    text: str
    size: int  # height of its letters in points
    top: float  # of its first letter, from the lower edge of the page, in points
    end_top: float  # of its last letter
    level: int = 0  # of a heading, 1 is the highest; 0 = no heading


def read_pdf(data: bytes) -> FileExtract:
    """Read one PDF file.

    Returns:
        Its text; `skip` is "encrypted" if it needs a password, "empty" if it has no text, such as a scan.

    Raises:
        ImportError: PDFium is not installed.
        ValueError: The file is not a PDF, or damaged.
    """
    import pypdfium2 as pdfium  # an extra

    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            return FileExtract(skip="encrypted")
        raise ValueError(f"the PDF cannot be read: {error}") from error
    try:
        pages, damage = _pages(document, pdfium.PdfiumError)
        properties, total, outline = document.get_metadata_dict(), len(document), _outline(document)
    finally:
        document.close()
    pages = with_levels(without_repeats(pages), outline)
    warnings = [f"damaged pages of the PDF: {len(damage)}, the first is {damage[0]}"] if damage else []
    if total > _MAX_PAGES:
        warnings.append(f"only the first {_MAX_PAGES:,} of {total:,} pages of the PDF are read")
    is_empty = not any(pages)
    if is_empty:
        warnings.append("the PDF has no text; is it a scan?")
    return FileExtract(
        "".join(page_html(number, lines) for number, lines in enumerate(pages, 1)),
        properties.get("Title", "").strip() or _title(pages),
        properties.get("Subject", ""),
        _date(properties.get("CreationDate", "")),
        _date(properties.get("ModDate", "")),
        "empty" if is_empty else "",
        tuple(warnings),
    )


def _pages(document: Any, error: type[Exception]) -> tuple[list[list[PdfLine]], list[int]]:
    """The lines of each page, and the numbers of pages that cannot be read, from 1."""
    pages: list[list[PdfLine]] = []
    damage = []
    for number in range(min(len(document), _MAX_PAGES)):
        try:
            pages.append(_lines(document[number]))
        except error:
            pages.append([])
            damage.append(number + 1)
    return pages, damage


def _lines(page: Any) -> list[PdfLine]:
    """The lines of a page, in the order of the file."""
    text_page = page.get_textpage()
    try:
        count = min(text_page.count_chars(), _MAX_PAGE_CHARS)
        text = text_page.get_text_range(0, count) if count else ""
        lines, position = [], 0
        for piece in text.splitlines(keepends=True):
            if words := _HYPHEN.sub(_join_hyphen, " ".join(piece.split())):
                first, last = position + len(piece) - len(piece.lstrip()), position + len(piece.rstrip()) - 1
                _, bottom, _, top = text_page.get_charbox(min(first, count - 1), loose=True)
                end_top = text_page.get_charbox(min(last, count - 1), loose=True)[3]
                lines.append(PdfLine(words, round(top - bottom), top, end_top))
            position += len(piece)
        return lines
    finally:
        text_page.close()
        page.close()


def without_repeats(pages: Sequence[Sequence[PdfLine]]) -> list[list[PdfLine]]:
    """Remove headers and footers: first and last lines that most pages share, apart from numbers."""
    edges = Counter(key for lines in pages for key in {_key(line) for line in (*lines[:2], *lines[-2:])})
    limit = max(_MIN_REPEATS, len(pages) / 2)
    without = []
    for lines in pages:
        last = len(lines) - 2
        without.append(
            [line for i, line in enumerate(lines) if not ((i < 2 or i >= last) and edges[_key(line)] >= limit)]
        )
    return without


def with_levels(pages: Sequence[Sequence[PdfLine]], outline: Mapping[tuple[int, str], int]) -> list[list[PdfLine]]:
    """Set the levels of headings, from the outline or else from letter sizes.

    Args:
        outline: Level by (page number from 1, title).
    """
    letters: Counter[int] = Counter()
    for line in (line for lines in pages for line in lines):
        letters[line.size] += len(line.text)
    common = letters.most_common(1)[0][0] if letters else 0
    sizes = sorted(
        {
            line.size
            for lines in pages
            for line in lines
            if line.size >= common * _HEADING_SCALE and _may_be_heading(line)
        },
        reverse=True,
    )

    def level(number: int, line: PdfLine) -> int:
        if not _may_be_heading(line):
            return 0
        if own_level := outline.get((number, _key(line))):
            return own_level
        return min(sizes.index(line.size) + 1, _MAX_LEVELS) if line.size in sizes else 0

    return [[replace(line, level=level(number, line)) for line in lines] for number, lines in enumerate(pages, 1)]


def page_html(number: int, lines: Sequence[PdfLine]) -> str:
    """Render a page as HTML; each heading gets the anchor `page=NUMBER`. A page without a leading heading gets one.

    Args:
        number: Page number, from 1.
    """
    parts: list[str] = []
    for level, group in _groups(lines):
        text = escape(_join(group))
        if not level and not parts:
            parts.append(f'<h{_PAGE_LEVEL} id="page={number}">Page {number}</h{_PAGE_LEVEL}>')
        parts.append(f'<h{level + 1} id="page={number}">{text}</h{level + 1}>' if level else f"<p>{text}</p>")
    return "".join(parts)


def _groups(lines: Sequence[PdfLine]) -> Iterator[tuple[int, list[PdfLine]]]:
    """Group lines into headings, with their level, and paragraphs."""
    group: list[PdfLine] = []
    for line in lines:
        if group:
            last = group[-1]
            height = max(last.size, line.size)
            is_apart = not -height < last.end_top - line.top <= _GAP_SCALE * height
            if is_apart or (line.level, line.level and line.size) != (last.level, last.level and last.size):
                yield last.level, group
                group = []
        group.append(line)
    if group:
        yield group[-1].level, group


def _join(lines: Sequence[PdfLine]) -> str:
    """Join consecutive lines, and words that are hyphenated across them."""
    text = ""
    for line in lines:
        if text.endswith("-") and text[-2:-1].isalpha() and line.text[:1].islower():
            text = text[:-1] + line.text
        else:
            text = f"{text} {line.text}" if text else line.text
    return text


def _may_be_heading(line: PdfLine) -> bool:
    return len(line.text) <= _MAX_HEADING_CHARS and sum(map(str.isalpha, line.text)) >= _MIN_HEADING_LETTERS


def _outline(document: Any) -> dict[tuple[int, str], int]:
    """Levels of the outline's titles, by (page number from 1, title)."""
    levels = {}
    for entry in islice(document.get_toc(max_depth=_MAX_LEVELS), _MAX_OUTLINE):
        target = entry.get_dest()
        if target is not None and target.get_index() is not None:
            levels[target.get_index() + 1, _key_of(entry.get_title())] = entry.level + 1
    return levels


def _join_hyphen(match: re.Match[str]) -> str:
    """Join a word that was hyphenated at a line end; keep the hyphen before a capital letter."""
    return match[1] if match[1].islower() else f"-{match[1]}"


def _title(pages: Sequence[Sequence[PdfLine]]) -> str:
    """The heading of the highest level on the first page that has text."""
    first = next(filter(None, pages), [])
    headings = [line for line in first if line.level]
    return max(headings, key=lambda line: line.size).text if headings else ""


def _key(line: PdfLine) -> str:
    return _key_of(line.text)


def _key_of(text: str) -> str:
    return _DIGITS.sub("0", " ".join(text.split()))


def _date(text: str) -> str:
    match = _DATE.match(text)
    return parse_date("-".join(match.groups())) if match and match[1] > "1900" else ""
