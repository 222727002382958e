"""Pack atoms into pieces of `max_chars`, repeating the end of one piece at the start of the next."""

from collections.abc import Sequence
from typing import NamedTuple

from searchsocket.content.chunking.atoms import Atom
from searchsocket.content.chunking.sentences import split_sentences
from searchsocket.content.markdown.text import LEAST_SAID, letters_said
from searchsocket.project.settings.site import ChunkSettings


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
    if tail and len(tail.text) < settings.min_chars and letters_said(tail.text) < LEAST_SAID:
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
