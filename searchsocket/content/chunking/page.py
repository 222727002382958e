"""Cut one mirror page into chunks."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from searchsocket.content.chunking.atoms import Atom, atoms_of, split_sentences
from searchsocket.content.markdown.blocks import Block, is_rule, parse_blocks
from searchsocket.content.markdown.lines import plain_text
from searchsocket.content.markdown.text import MIN_LETTERS, escape_inline, inline_text, is_links_alone, letter_count
from searchsocket.content.mirror import body_line
from searchsocket.content.pages import Page
from searchsocket.project.settings.site import ChunkSettings
from searchsocket.text.graphemes import safe_cut
from searchsocket.types import Chunk, ChunkKind, Prose, Section

# A small section joins a neighbour of at most this many times `min_chars`: a larger one would lose its own name.
_NEIGHBOUR = 2
_MAX_TITLE = 300  # characters of a heading that identify a section; the text keeps all of them
CHUNKER_VERSION = "7"  # part of every hash that lets chunking be skipped: raise it when the output changes


@dataclass(slots=True)
class PageSection:
    """A heading with the blocks up to the next heading, or several such sections that were merged."""

    level: int  # of the first heading; 0 before the first one of the page
    path: tuple[str, ...]  # outermost heading first
    title: str
    anchor: str  # of the nearest heading, this one or before, that has one
    blocks: list[Block]  # the heading first
    size: int  # characters of the blocks, joined by blank lines
    parent: tuple[str, ...] = ()  # the path above the first heading
    siblings: bool = False  # merged from several headings of one level
    anchored: bool = True  # False: the anchor belongs to an earlier section

    @property
    def bare(self) -> bool:
        """Return True if there are only headings."""
        return all(block.kind == "heading" for block in self.blocks)


def split_sections(blocks: Iterable[Block]) -> list[PageSection]:
    """Cut the blocks of a page at every heading. Rules (`---`) have no text and are left out."""
    sections: list[PageSection] = []
    path: list[tuple[int, str]] = []
    anchor = ""
    for block in blocks:
        if block.kind == "heading":
            while path and path[-1][0] >= block.level:
                path.pop()
            path.append((block.level, heading_title(block)))
            anchor = block.anchor or anchor
            titles = tuple(title for _, title in path if title)
            parent = titles[:-1] if path[-1][1] else titles
            section = PageSection(block.level, titles, path[-1][1], anchor, [block], len(block.text), parent)
            section.anchored = bool(block.anchor)
            sections.append(section)
        elif block.kind == "paragraph" and is_rule(block.text):
            continue
        elif not sections:
            sections.append(PageSection(0, (), "", "", [block], len(block.text)))
        else:
            sections[-1].blocks.append(block)
            sections[-1].size += 2 + len(block.text)
    return sections


def merge_small(sections: Iterable[PageSection], settings: ChunkSettings) -> list[PageSection]:
    """Merge small neighbours until they reach `min_chars`, never beyond `max_chars`.

    A section below `min_chars` absorbs the sibling or child after it, unless that one is large enough to be a result
    by itself. Headings without text, or with only a link, join the section below them, which keeps its name.
    """
    merged: list[PageSection] = []
    for section in sections:
        previous = merged[-1] if merged else None
        if previous is None or not _may_join(previous, section, settings):
            merged.append(section)
        elif _keeps_name(previous, section, settings):
            merged[-1] = _under_headings(previous, section)
        else:
            _absorb(previous, section)
    return _merge_leftovers(merged, settings)


def heading_title(block: Block) -> str:
    """The visible text of a heading, bounded."""
    title = inline_text(block.title)
    return title if len(title) <= _MAX_TITLE else title[: safe_cut(title, _MAX_TITLE)].rstrip()


def _may_join(previous: PageSection, section: PageSection, settings: ChunkSettings) -> bool:
    if previous.size >= settings.min_chars or section.level < previous.level:
        return False
    if previous.bare or _introduces(previous, section):
        return previous.size <= settings.max_chars // 2  # packing keeps headings with what follows
    small = section.size < _NEIGHBOUR * settings.min_chars
    return small and previous.size + 2 + section.size <= settings.max_chars


def _introduces(previous: PageSection, section: PageSection) -> bool:
    """Return True if the previous section is a heading with almost no text, directly above this section."""
    if not 0 < previous.level < section.level or sum(block.kind == "heading" for block in previous.blocks) > 1:
        return False
    return sum(letter_count(block.text) for block in previous.blocks) < MIN_LETTERS


def _keeps_name(previous: PageSection, section: PageSection, settings: ChunkSettings) -> bool:
    """Return True if the joined section has the title of the second one."""
    if section.bare or section.size < settings.min_chars:
        return False
    return previous.bare or (_introduces(previous, section) and section.size >= _NEIGHBOUR * settings.min_chars)


def _merge_leftovers(sections: list[PageSection], settings: ChunkSettings) -> list[PageSection]:
    """Give a small section without a small neighbour after it to the parent or small group before it."""
    merged: list[PageSection] = []
    for section in sections:
        previous = merged[-1] if merged else None
        if (
            previous is not None
            and section.size < settings.min_chars
            and previous.level > 0
            and section.level > previous.level - previous.siblings
            and previous.size + 2 + section.size <= settings.max_chars
        ):
            _absorb(previous, section)
        else:
            merged.append(section)
    return merged


def _absorb(into: PageSection, section: PageSection) -> None:
    if section.level == into.level:
        into.path = into.parent  # siblings share their parent
        into.siblings = True
    _adopt_anchor(into, section)
    into.blocks.extend(section.blocks)
    into.size += 2 + section.size


def _under_headings(headings: PageSection, section: PageSection) -> PageSection:
    """A section below headings that have no text of their own: its name, their anchor."""
    _adopt_anchor(headings, section)
    return replace(
        section,
        anchor=headings.anchor,
        anchored=headings.anchored,
        blocks=headings.blocks + section.blocks,
        size=headings.size + 2 + section.size,
    )


def _adopt_anchor(into: PageSection, section: PageSection) -> None:
    if not into.anchored and section.anchored:
        into.anchor, into.anchored = section.anchor, True


class Piece(NamedTuple):
    """Text of one future chunk."""

    text: str
    lines: tuple[int, int]  # of the page, first and last


def pack(atoms: Sequence[Atom], settings: ChunkSettings) -> list[Piece]:
    """Fill pieces with atoms in order, each up to `max_chars`; a longer atom becomes a piece of its own.

    Short text before such a long atom, up to `min_chars`, joins its piece. A piece starts with the last sentences of
    the piece before, as many as fit into `overlap_chars` and beside its first atom. Overlap never makes a piece too
    long, and each piece has at least one new atom. A last piece that is shorter than `min_chars` and almost without
    words, such as a link or a date, joins the piece before.
    """
    pieces: list[Piece] = []
    before: list[Atom] = []
    current: list[Atom] = []
    size = fresh = 0
    for atom in atoms:
        total = size + len(atom.glue) + atom.size
        leads_up = atom.size > settings.max_chars and size < settings.min_chars and total <= settings.hard_max_chars
        if current and total > settings.max_chars and not leads_up:
            pieces.append(_piece(current))
            before = current
            current = _tail(current, min(settings.overlap_chars, settings.max_chars - atom.size - len(atom.glue)))
            size, fresh = len(_join(current)), len(current)
        size += atom.size + (len(atom.glue) if current else 0)
        current.append(atom)
    tail = _piece(current[fresh:]) if pieces else None
    if tail and len(tail.text) < settings.min_chars and letter_count(tail.text) < MIN_LETTERS:
        whole = _piece([*before, *current[fresh:]])
        if len(whole.text) <= settings.hard_max_chars:
            return [*pieces[:-1], whole]
    return [*pieces, _piece(current)] if current else pieces


def _tail(atoms: Sequence[Atom], budget: int) -> list[Atom]:
    """The last whole sentences of prose at the end of a piece, in at most `budget` characters."""
    tail: list[Atom] = []  # last first
    for atom in reversed(atoms):
        if not atom.prose or budget <= 0:
            break
        sentences = split_sentences(atom.text)
        count = 0
        for glue, sentence in reversed(sentences):
            # Not prose any more: a sentence is repeated once, in the next piece only.
            first = count == len(sentences) - 1
            part = Atom(sentence, atom.glue if first else glue, lines=atom.lines)
            cost = len(sentence) + (len(tail[-1].glue) if tail else 0)
            if cost > budget:
                break
            tail.append(part)
            budget -= cost
            count += 1
        if count < len(sentences) or atom.head:
            break
    return tail[::-1]


def _piece(atoms: Sequence[Atom]) -> Piece:
    return Piece(_join(atoms), (min(atom.lines[0] for atom in atoms), max(atom.lines[1] for atom in atoms)))


def _join(atoms: Sequence[Atom]) -> str:
    return "".join((atom.glue if index else "") + atom.full for index, atom in enumerate(atoms))


@dataclass(frozen=True, slots=True)
class ChunkedPage:
    """The chunks of one page, with warnings about them."""

    chunks: tuple[Chunk, ...]
    warnings: tuple[str, ...] = ()  # blocks that were cut although they should stay whole


def chunk_page(page: Page, settings: ChunkSettings) -> ChunkedPage:
    """Cut one mirror page into chunks: at headings first, then between blocks (spec 9.1).

    Args:
        page: A page of the Markdown mirror; of its facts, chunks contain only title and description.
        settings: Sizes in characters. `max_chars` is soft: a code block, table or quote stays whole up to
            `hard_max_chars`. A longer one is cut at a line end and reported.

    Returns:
        Chunks in page order, `ordinal` 0..n-1, the summary first if there is one; empty for a page without text.
    """
    blocks = parse_blocks(page.body)
    if not any(plain_text(block.text) for block in blocks):
        return ChunkedPage(())
    chunks: list[Chunk] = []
    warnings: list[str] = []
    if settings.page_summary:
        text = _summary(page, blocks, settings.max_chars)
        if text:
            chunks.append(Chunk(0, "summary", Prose(text), Section((), "", "", 0)))
    above, starts = body_line(page) - 1, [block.lines[0] for block in blocks]
    under: Counter[str] = Counter()  # pieces so far, by anchor
    for section in merge_small(split_sections(blocks), settings):
        path = section.path[: settings.heading_path_depth]
        for text, (first, last) in _pieces(section, settings, warnings):
            piece = under[section.anchor]
            under[section.anchor] += 1
            lines = (above + first, above + last, *_source_lines(page, blocks, starts, first, last))
            at = Section(path, section.title, section.anchor, piece, *lines)
            kind: ChunkKind = "links" if is_links_alone(text) else "section"
            chunks.append(Chunk(len(chunks), kind, Prose(text), at))
    return ChunkedPage(tuple(chunks), tuple(dict.fromkeys(warnings)))


def _source_lines(page: Page, blocks: list[Block], starts: list[int], first: int, last: int) -> tuple[int, int]:
    """Lines of the body as lines of the content file; 0, 0 if one of the blocks is not known to be in that file."""
    source_lines = page.source_lines
    if len(source_lines) != 2 * len(blocks):
        return 0, 0
    a, b = bisect_right(starts, first) - 1, bisect_right(starts, last) - 1
    if 0 in source_lines[2 * a : 2 * b + 2]:
        return 0, 0
    start, end = source_lines[2 * a], source_lines[2 * b + 1]
    # If a block has as many lines here as in the file, its lines correspond; otherwise return the whole block.
    if source_lines[2 * a + 1] - start == blocks[a].lines[1] - blocks[a].lines[0]:
        start += first - blocks[a].lines[0]
    if end - source_lines[2 * b] == blocks[b].lines[1] - blocks[b].lines[0]:
        end -= blocks[b].lines[1] - last
    return start, end


def _pieces(section: PageSection, settings: ChunkSettings, warnings: list[str]) -> Iterator[Piece]:
    if section.size <= settings.max_chars:
        lines = (section.blocks[0].lines[0], section.blocks[-1].lines[1])
        yield Piece("\n\n".join(block.text for block in section.blocks), lines)
        return
    atoms, cut = atoms_of(section.blocks, settings)
    warnings.extend(cut)
    yield from pack(atoms, settings)


def _summary(page: Page, blocks: list[Block], max_chars: int) -> str:
    """Title, description and headings as Markdown, in at most `max_chars`; headings that do not fit are left out.

    Empty if it would be the title alone: every section has the title too, and so short a text is near every query.
    """
    title = _shorten(page.facts.title, max_chars // 2)
    text = alone = f"# {title}" if title else ""
    if description := _shorten(page.facts.description, max_chars - len(text) - 2):
        text = f"{text}\n\n{description}" if text else description
    glue = "\n\n"
    for block in blocks:
        if block.kind != "heading" or not (heading := escape_inline(heading_title(block))) or heading == title:
            continue
        line = f"{glue if text else ''}- {heading}"
        if len(text) + len(line) > max_chars:
            break
        text += line
        glue = "\n"
    return "" if text == alone else text


def _shorten(text: str, limit: int) -> str:
    """Plain text as Markdown of at most `limit` characters, cut between words if possible."""
    plain = " ".join(text[: 4 * max(limit, 0)].split())
    escaped = escape_inline(plain)
    if len(escaped) <= limit:
        return escaped
    # Cut before escaping, which at most doubles the length, so that no escape is cut in half.
    cut = plain[: safe_cut(plain, limit // 2)] if limit > 1 else ""
    return escape_inline(cut.rpartition(" ")[0] or cut)
