"""Paths whose files are watched for changes. Imports the standard library alone."""

from dataclasses import dataclass

from searchsocket.pipeline.unchanged.stamps import TICK_NS, stamps_of


@dataclass(frozen=True, slots=True)
class Watched:
    """Paths, and what they were."""

    paths: tuple[str, ...]
    trusted_before_ns: int
    digest: str

    @classmethod
    def at(cls, paths: tuple[str, ...], now_ns: int) -> "Watched":
        """The current state of the paths.

        Raises:
            OSError: Something cannot be read.
        """
        return cls(paths, now_ns - TICK_NS, stamps_of(paths, trusted_before_ns=now_ns - TICK_NS, now_ns=now_ns).anew)

    def still(self, now_ns: int) -> "Watched | None":
        """The same, watched from now on; None where something changed.

        Raises:
            OSError: Something cannot be read.
        """
        found = stamps_of(self.paths, trusted_before_ns=self.trusted_before_ns, now_ns=now_ns)
        return Watched(self.paths, now_ns - TICK_NS, found.anew) if found.trusting == self.digest else None
