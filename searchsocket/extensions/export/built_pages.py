"""Add the search to the pages of a built site: one script tag for each, without any other change of their bytes."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from itertools import islice
from pathlib import Path
from posixpath import dirname, relpath
from urllib.parse import quote

from searchsocket.errors import SearchSocketError
from searchsocket.sources.build_folder import FALLBACKS, is_html, stem
from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic
from searchsocket.web.urls.paths import is_xhtml
from searchsocket.web.urls.resolve import rebased, site_base

FOLDER = "searchsocket"  # of the export, in the site
SCRIPT = f"{FOLDER}/page-search.js"
_TAG = re.compile(
    rb'<script type="module" src="[^"<>]*/?%b"(?: data-answers="[^"<>]*")?></script>' % re.escape(SCRIPT).encode()
)
_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body|title)[\s>]", re.IGNORECASE)
_FRAMES = re.compile(rb"<frameset[\s>]", re.IGNORECASE)
# What may contain a tag that does not count, else the tag itself.
_ENDS = re.compile(
    rb"<!--.*?-->|<(script|style|textarea|title)\b.*?</\1\s*>|(?P<end></(?:head|body|html)\s*>)",
    re.IGNORECASE | re.DOTALL,
)
_BASE = re.compile(rb"""<base(?=\s)[^<>]*?\shref\s*=\s*["']?([^"'<>\s]+)""", re.IGNORECASE)
_ADDRESS = re.compile(rb"""\s(?:href|src)\s*=\s*["']?(/[^"'<>\s?#]*)""", re.IGNORECASE)
_FILE = re.compile(r"\.(?!x?html?$)\w+$", re.IGNORECASE)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PACKED = (".gz", ".br", ".zst")
_SAMPLE = 50  # pages whose addresses show the base path


@dataclass(frozen=True, slots=True)
class BuiltPages:
    """The pages of a built site, by what happened to them; paths are relative to the build."""

    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()  # the script is there already
    packed: tuple[str, ...] = ()  # compressed copies of changed pages, which are older than these


def with_script(html: bytes, src: str, answers: str = "") -> bytes:
    """Add the script tag to a page, at the end of its head; an earlier tag of ours is replaced.

    Args:
        answers: Address of answers in sentences; "" = none.
    """
    attribute = f' data-answers="{answers}"' if answers else ""
    tag = f'<script type="module" src="{src}"{attribute}></script>'.encode()
    if tag in html:
        return html
    html = without_script(html)
    at = next((match.start() for match in _ENDS.finditer(html) if match["end"]), len(html))
    return html[:at] + tag + html[at:]


def without_script(html: bytes) -> bytes:
    """Remove the script tag of `with_script`."""
    return _TAG.sub(b"", html)


def is_page(html: bytes) -> bool:
    """Return True for a page, not for a part of one, a set of frames or UTF-16."""
    return bool(_PAGE.search(html)) and not _FRAMES.search(html) and not html.startswith(_UTF16)


def script_address(page: str, html: bytes, base: str) -> str:
    """The address of the script in a page.

    Relative to the page, so that the site works at any path. A page for missing pages is sent for every path, so its
    address begins with the base path.

    Args:
        page: Its file, relative to the build.
        base: Base path of the site, from `base_of_build`.
    """
    if "/" not in page and stem(page) in FALLBACKS:
        return quote(f"{base}/{SCRIPT}")
    address = f"{base}/{page}"
    if match := _BASE.search(html):
        address = rebased(unescape(match[1].decode("utf-8", "replace")), address, site_base([], base))
    return relpath(f"{base}/{SCRIPT}", dirname(address))


def base_of_build(build: Path) -> str:
    """The base path for which a site was built, such as `/project`; "" for none, and for relative addresses.

    Scripts, styles and images of the pages show it: `/project/style.css` is the file `style.css`.
    """
    votes = Counter[str]()
    for name in islice(page_files(build), _SAMPLE):
        addresses = (match[1].decode("utf-8", "replace") for match in _ADDRESS.finditer(_read(build / name)))
        votes.update(_bases(set(addresses), lambda path: (build / path).is_file()))
    return max(votes, key=lambda base: votes[base], default="")


def _bases(addresses: Iterable[str], is_file: Callable[[str], bool]) -> Iterator[str]:
    for address in addresses:
        parts = address.strip("/").split("/")
        if ".." in parts or not _FILE.search(address):
            continue
        cuts = (cut for cut in range(len(parts)) if is_file("/".join(parts[cut:])))
        if (cut := next(cuts, None)) is not None:
            yield "".join(f"/{part}" for part in parts[:cut])


def page_files(build: Path) -> Iterator[str]:
    """Yield the HTML files of a build, relative to it; no hidden ones, links, or XHTML, in which no module runs."""
    for folder, folders, files in os.walk(build):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(files):
            path = Path(folder, name)
            if is_html(name) and not is_xhtml(name) and not name.startswith(".") and not path.is_symlink():
                yield path.relative_to(build).as_posix()


def add_search(build: Path, base: str, answers: str = "") -> BuiltPages:
    """Add the script to all pages of a build. After an error, no page has it that did not have it before.

    Args:
        base, answers: As `script_address` and `with_script`.

    Raises:
        StateUnavailable, PermissionDenied: A page cannot be read or written.
    """
    changed, unchanged, packed = list[str](), list[str](), list[str]()
    try:
        for name in page_files(build):
            path = build / name
            html = _read(path)
            if not is_page(html):
                continue
            new = with_script(html, script_address(name, html, base), answers)
            (unchanged if new == html else changed).append(name)
            if new != html:
                _write(path, new)
                packed += [f"{name}{end}" for end in _PACKED if Path(f"{path}{end}").is_file()]
    except SearchSocketError:
        remove_search(build, changed)
        raise
    return BuiltPages(tuple(changed), tuple(unchanged), tuple(packed))


def remove_search(build: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Remove the script from pages of a build; return those that had it.

    Raises:
        StateUnavailable, PermissionDenied: A page cannot be read or written.
    """
    removed = list[str]()
    for name in names:
        html = _read(build / name)
        if (old := without_script(html)) != html:
            _write(build / name, old)
            removed.append(name)
    return tuple(removed)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise system_error("cannot read", path, error) from error


def _write(path: Path, html: bytes) -> None:
    write_atomic(path, html, durable=False, mode=path.stat().st_mode & 0o777)
