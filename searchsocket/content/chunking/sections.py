"""Split a page into heading sections and merge small ones (spec 9.1, steps 1 to 3)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from searchsocket.content.markdown.blocks import Block, is_rule
from searchsocket.content.markdown.text import MIN_LETTERS, inline_text, letter_count
from searchsocket.project.settings.site import ChunkSettings
from searchsocket.text.graphemes import safe_cut

# A small section joins a neighbour of at most this many times `min_chars`: a larger one would lose its own name.
_NEIGHBOUR = 2
_MAX_TITLE = 300  # characters of a heading that identify a section; the text keeps all of them


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
