"""Cut one mirror page into chunks."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from searchsocket.content.chunking.atoms import atoms_of
from searchsocket.content.chunking.pack import Piece, pack
from searchsocket.content.chunking.sections import PageSection, heading_title, merge_small, split_sections
from searchsocket.content.markdown.blocks import Block, parse_blocks
from searchsocket.content.markdown.lines import plain_text
from searchsocket.content.markdown.text import escape_inline, is_links_alone
from searchsocket.content.mirror.document import body_line
from searchsocket.content.pages import Page
from searchsocket.project.settings.site import ChunkSettings
from searchsocket.text.graphemes import safe_cut
from searchsocket.types import Chunk, ChunkKind, Prose, Section

CHUNKER_VERSION = "7"  # part of every hash that lets chunking be skipped: raise it when the output changes


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
