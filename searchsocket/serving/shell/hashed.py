"""The generation whose files were last hashed, with their stamps.

One that shows the same stamps is not hashed again by each query of the shell.
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.unchanged.stamps import file_clock_ns
from searchsocket.pipeline.unchanged.watched import Watched
from searchsocket.stores.local.live import LiveGenerations
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.vectors.matrix_part import MatrixPart
from searchsocket.system.files import write_atomic
from searchsocket.text.synonyms import Synonyms

FILE = "hashed.json"


class HashedOnce(LiveGenerations):
    """The live generations of an index in whose state folder it is kept which files were hashed."""

    def __init__(self, root: Path, project_id: str, synonyms: Synonyms, state_dir: Path) -> None:
        """Touches nothing yet; see `LocalStore` for the arguments."""
        super().__init__(root, project_id, synonyms, MatrixPart())
        self._state_dir = state_dir

    def open(self, generation: Path, *, trusted: bool = False, max_read_bytes: int = 0) -> LocalReader:
        """See `LiveGenerations.open`; a generation whose files show the stamps of when they were hashed is trusted."""
        known = self._kept(generation)
        found: Watched | None = None
        with suppress(OSError):  # who may write nothing, or meets files that go away, has all of them hashed
            now_ns = file_clock_ns(os.fspath(self._state_dir), time.time_ns())
            found = known.still(now_ns) if known else None
            trusted = trusted or found is not None
            found = found or Watched.at((os.fspath(generation),), now_ns)
        reader = super().open(generation, trusted=trusted, max_read_bytes=max_read_bytes)
        if found and (known is None or found.digest != known.digest):
            self._keep(found)
        return reader

    def _kept(self, generation: Path) -> Watched | None:
        """The stored stamps of a generation; None for another generation."""
        try:
            paths, trusted_before_ns, digest = json.loads((self._state_dir / FILE).read_bytes())
            kept = Watched(tuple(map(str, paths)), int(trusted_before_ns), str(digest))
        except (OSError, ValueError, TypeError):
            return None
        return kept if kept.paths == (os.fspath(generation),) else None

    def _keep(self, watched: Watched) -> None:
        with suppress(OSError, SearchSocketError):
            data = json.dumps([watched.paths, watched.trusted_before_ns, watched.digest])
            write_atomic(self._state_dir / FILE, data.encode())
