"""What readers see of the chunks that a run cuts, handed from where they are cut to where they are published.

Finding it in the Markdown is the most of embedding a chunk and of keeping what it says. Both stages take the chunks in
one order, so a file is enough, of which a few batches are in memory. A stage that runs without the other finds it anew.
"""

import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from searchsocket.chunking.records import hash_of
from searchsocket.markdown.lines import Line
from searchsocket.markdown.seen import Seen, SeenBlock, seen_blocks
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.system.files import make_folder
from searchsocket.types import Prose, Record

_MOST_AHEAD = 1_000  # lines, in which the next record that is asked for is looked for


class Handing:
    """Takes what is handed on."""

    def __init__(self, path: Path, *, is_wanted: bool = True) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._is_off = not is_wanted  # or the disk refuses: whoever needs it finds it anew

    def add(self, records: Iterable[Record]) -> None:
        """Hand on what is seen of the prose among some records."""
        for record in records:
            if not self._is_off and isinstance(body := record.chunk.body, Prose):
                said = _written(seen_blocks(body.text))
                self._write(b"%s %08x %s\n" % (record.record_hash.encode(), zlib.crc32(said), said))

    def _write(self, line: bytes) -> None:
        try:
            if self._file is None:
                make_folder(self._path.parent)
                self._file = open(self._path, "wb")  # noqa: SIM115  # see `close`
            self._file.write(line)
        except OSError:
            self._is_off = True

    def close(self) -> None:
        """Release the file."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()


class Handed:
    """Gives what was handed on, of records in the order in which they were cut."""

    def __init__(self, file: BinaryIO | None) -> None:
        self._lines = iter(file or ())
        self._ahead: dict[bytes, bytes] = {}  # by record hash, the rest of each line behind the last that was given

    def of(self, records: Iterable[Record]) -> dict[str, Seen]:
        """What is seen of some of the records, by their texts."""
        found: dict[str, Seen] = {}
        for record in records:
            line = self._line(record.record_hash.encode())
            if (seen := _read(line)) is not None:
                found[record.chunk.body.text] = seen
        return found

    def _line(self, key: bytes) -> bytes:
        while key not in self._ahead and len(self._ahead) < _MOST_AHEAD and (line := next(self._lines, b"")):
            name, _, rest = line.partition(b" ")
            self._ahead[name] = rest
        while key in self._ahead:
            name = next(iter(self._ahead))
            rest = self._ahead.pop(name)
            if name == key:
                return rest
        return b""


def _written(seen: Seen) -> bytes:
    blocks = [
        (
            block.kind,
            block.title,
            block.anchor,
            "".join(kind for kind, _ in block.lines),
            [text for _, text in block.lines],
        )
        for block in seen
    ]
    return json.dumps(blocks, separators=(",", ":")).encode()


def _read(rest: bytes) -> Seen | None:
    """None where nothing, or something damaged, was handed on."""
    checksum, _, said = rest.rstrip(b"\n").partition(b" ")
    if checksum != b"%08x" % zlib.crc32(said) or not said:
        return None
    return tuple(
        [
            SeenBlock(kind, title, anchor, tuple(map(Line, kinds, texts)))
            for kind, title, anchor, kinds, texts in json.loads(said)
        ]
    )


@contextmanager
def handing_on(run: ScopeRun) -> Iterator[Handing]:
    """What later stages of the run are handed; a dry run publishes nothing, so none of its stages would take it."""
    with closing(Handing(_path(run), is_wanted=run.workspace is None)) as handing:
        yield handing


@contextmanager
def handed(run: ScopeRun) -> Iterator[Handed]:
    """What an earlier stage of the run handed on, which goes."""
    with ExitStack() as stack:
        file: BinaryIO | None = None
        with suppress(OSError):
            file = stack.enter_context(open(_path(run), "rb"))
            _path(run).unlink()
        yield Handed(file)


def _path(run: ScopeRun) -> Path:
    return run.temporary_dir / f"seen-{hash_of(run.run_id)[:16]}"
