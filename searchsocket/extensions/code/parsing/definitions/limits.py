"""Limits for parsing: some short damaged files take a parser minutes or gigabytes.

The parser asks a few times per millisecond whether to go on, but its memory can grow by gigabytes in between: mostly
at the end of a file, if many errors are still open there. So a file is first parsed in growing prefixes, each of which
ends like a file and takes only a little more memory than the one before.
"""

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

# No file of the 59 repositories of semble's benchmark and of 290 MB of installed packages needs half of either.
_STEPS_PER_KB, _MIN_STEPS = 40, 400  # a step is a hundred operations of the parser
_READS_PER_BLOCK = 100
_BLOCK = 1_024  # bytes that the parser reads at once
_PREFIX = 1_500  # bytes by which each prefix is longer than the one before
_PREFIX_TIMES = 8  # the work that all prefixes may take, compared with the file
_MAX_CPU_S = 2.0  # for a file with all its scripts; only damaged files need so much time in so few steps
_STEPS_PER_CLOCK = 16
_MAX_GROWTH_BYTES = 50_000_000
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")  # of Linux; elsewhere memory is not limited
_MEMORY = re.compile(rb"^VmHWM:\s+(\d+) kB\nVmRSS:\s+(\d+) kB$", re.MULTILINE)


class ParserTooCostly(Exception):
    """A file may take a parser too much work or memory for this process; parse it in one that can be ended."""


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Limits for one file and for all scripts in it."""

    is_guarded: bool  # False: a limit of this process on memory ends it
    end_s: float  # CPU time of this thread

    @classmethod
    def start(cls, *, is_guarded: bool = False) -> "ParseLimits":
        """The limits for a file that is parsed from now on."""
        return cls(is_guarded, time.thread_time() + _MAX_CPU_S)

    def parse(self, parser: "Parser", source: bytes) -> "Tree | None":
        """Parse a file or a script in it; None if that takes too much work.

        Raises:
            ParserTooCostly: It may take too much work or memory, and is guarded.
        """
        if self.is_guarded:
            if not self._is_harmless(parser, source):
                raise ParserTooCostly
            return parser.parse(source)
        if time.thread_time() > self.end_s:
            return None
        budget = _Budget.of(len(source), 1, self.end_s)
        buffer, is_parsed = bytearray(), False

        def read(offset: int, _: object) -> bytes | bytearray:
            budget.reads -= 1
            if is_parsed:  # a node asks for its text
                return source[offset : offset + _BLOCK]
            buffer[:] = source[offset : offset + _BLOCK]
            return buffer  # always the same, since tree-sitter 0.26.1 never frees it

        try:
            tree = parser.parse(read, progress_callback=budget.is_spent)
        except ValueError:
            return None
        is_parsed = True
        return tree

    def _is_harmless(self, parser: "Parser", source: bytes) -> bool:
        """Parse all prefixes of a file; return False if one takes too much."""
        budget = _Budget.of(len(source), _PREFIX_TIMES, self.end_s)
        max_peak_bytes = _max_peak_bytes()
        buffer = bytearray()
        tree, end, point = None, 0, (0, 0)

        def read(offset: int, _: object) -> bytearray:
            budget.reads -= 1
            buffer[:] = source[offset : min(offset + _BLOCK, end)]
            return buffer  # as above

        while end < len(source):
            start, end, start_point = end, min(end + _PREFIX, len(source)), point
            point = _after(point, source[start:end])
            try:
                if tree is None:
                    tree = parser.parse(read, progress_callback=budget.is_spent)
                else:
                    tree.edit(start, start, end, start_point, start_point, point)
                    tree = parser.parse(read, tree, progress_callback=budget.is_spent)
            except ValueError:
                return False
            if _memory_bytes()[0] > max_peak_bytes:
                return False
        return True


@dataclass(slots=True)
class _Budget:
    """Work that the parser may still do. Steps and reads depend only on the size of a file."""

    steps: int
    reads: int
    end_s: float

    @classmethod
    def of(cls, size: int, times: int, end_s: float) -> "_Budget":
        steps, blocks = _MIN_STEPS + _STEPS_PER_KB * size // 1_000, size // _BLOCK + 4
        return cls(times * steps, times * _READS_PER_BLOCK * blocks, end_s)

    def is_spent(self, _offset: int, _has_error: bool) -> bool:
        """Count a step; return True if parsing must end."""
        self.steps -= 1
        if self.steps < 0 or self.reads < 0:
            return True
        return self.steps % _STEPS_PER_CLOCK == 0 and time.thread_time() > self.end_s


def _after(point: tuple[int, int], text: bytes) -> tuple[int, int]:
    """The row and column after a text that starts at a point."""
    rows = text.count(b"\n")
    return point[0] + rows, len(text) - text.rfind(b"\n") - 1 if rows else point[1] + len(text)


def _max_peak_bytes() -> int:
    """The peak of resident memory from which a file takes too much."""
    peak, now = _memory_bytes()
    if peak > now + _MAX_GROWTH_BYTES:  # it would hide the peak of this file
        with suppress(OSError):
            _CLEAR.write_bytes(b"5")
        peak, now = _memory_bytes()
    return max(peak, now + _MAX_GROWTH_BYTES)


def _memory_bytes() -> tuple[int, int]:
    """Peak of resident memory and resident memory now; 0 if the system does not report them."""
    try:
        match = _MEMORY.search(_STATUS.read_bytes())
    except OSError:
        match = None
    return (int(match[1]) * 1_024, int(match[2]) * 1_024) if match else (0, 0)
