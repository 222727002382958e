"""The bytes of a source file as all steps see them: cells of a notebook, and code without the secrets in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from searchsocket.extensions.code.parsing.exclusions import looks_secret
from searchsocket.extensions.code.parsing.notebook import cells_of
from searchsocket.extensions.code.parsing.text import is_binary, source_text
from searchsocket.text.redaction import NAMES, Redactor


@dataclass(frozen=True, slots=True)
class SourceReading:
    """Read files whose text is not used as it is; their line numbers stay those of the file."""

    names: Sequence[str] = NAMES  # see `Redactor`
    keep: Sequence[str] = ()

    def __call__(self, path: str, data: bytes) -> bytes:
        """Return the bytes to index, to search and to show; most files have them as they are.

        Args:
            path: Relative to the project.
        """
        if path.casefold().endswith(".ipynb"):
            data = cells_of(data)
        if not any(map(looks_secret, path.split("/"))) or is_binary(data):
            return data
        redacted = _redactor(tuple(self.names), tuple(self.keep)).redact(source_text(data)[0], is_secret_file=True)
        return redacted.text.encode("utf-8", "surrogatepass") if redacted.count else data


USUAL_READING = SourceReading()


@lru_cache(maxsize=4)
def _redactor(names: Sequence[str], keep: Sequence[str]) -> Redactor:
    return Redactor(names, keep)
