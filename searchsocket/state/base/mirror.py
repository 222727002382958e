"""What the mirror's files hold (stage `page_mirror`; read by `page_chunks` and `search_index`)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from searchsocket.pages import ExtractedPage
from searchsocket.types import PageKind, RouteResolution


class Leaving(NamedTuple):
    """Pages whose mirror files must go, as (number, URL)."""

    removed: Sequence[tuple[int, str]]  # from the site
    skipped: Sequence[tuple[int, str]]  # still there, and not searched any more


class WrittenFile(NamedTuple):
    """A mirror file as it was written."""

    page_id: int
    url: str
    digest: str
    stamp: str  # size and time; "" = looked at when it was not to be trusted, or not written yet


@dataclass(frozen=True, slots=True)
class MirrorPage:
    """A page to be mirrored, and the file that is there."""

    url: str
    kind: PageKind
    locator: str  # where the source finds it
    address: str  # what opens it; "" = its URL
    extract: ExtractedPage  # without its links
    digest: str  # of the file; "" = none was written, or it is damaged
    stamp: str
    generated_at: str


class MirrorTable(Protocol):
    """The mirror files of a scope's pages; `dirty` pages are those whose file may have to change."""

    def set_routes(self, digest: str) -> None:
        """Make every page dirty where the routes are others than at the last call."""

    def leaving(self) -> Leaving:
        """The pages whose files must go."""

    def drop(self, leaving: Leaving) -> None:
        """Forget removed pages wholly, and files and chunks of skipped ones; no skipped page is dirty then."""

    def must_sweep(self) -> bool:
        """Whether files may lie there of pages that an older state knew, and every page of now is known."""

    def unknown_files(self, names: Iterable[str], name_of: Callable[[str], str]) -> Iterator[str]:
        """Those of the file names that are of no known page, in the order given.

        Args:
            name_of: URL to file name.
        """

    def set_swept(self) -> None:
        """No such file is left."""

    def written(self) -> Iterator[WrittenFile]:
        """The files of searchable pages that are not dirty."""

    def unwritten(self, size: int) -> Iterator[list[WrittenFile]]:
        """The files that another scope wrote, and this one not yet, of pages that are not dirty; by rising URL.

        A batch of `size` is read when it is asked for, so that the one before it may be written meanwhile.
        """

    def restamp(self, files: Sequence[tuple[int, str]]) -> None:
        """(page, stamp) of files that hold the same as before, and were touched."""

    def set_damaged(self, page_ids: Sequence[int]) -> None:
        """The files of these pages must be written again."""

    def distrust(self, url: str) -> None:
        """Have the next run look more closely at a page's file than at size and time."""

    def dirty(self) -> Sequence[int]:
        """The searchable pages whose file may have to change, by URL."""

    def spread(self, count: int) -> list[int]:
        """Some mirrored pages, evenly spread over the site by URL; the same ones whenever it is the same."""

    def page(self, page_id: int) -> MirrorPage:
        """One page.

        Raises:
            DamagedRow: It is not what was written.
        """

    def set_clean(self, page_id: int) -> None:
        """The file is right as it is."""

    def set_written(
        self, page_id: int, *, digest: str, stamp: str, generated_at: str, route_resolution: RouteResolution
    ) -> None:
        """The file was written; the page is clean."""

    def digests(self) -> Iterator[tuple[str, str]]:
        """(URL, digest) of every file that was written, by rising URL."""
