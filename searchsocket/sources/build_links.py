"""Detect the form of page addresses of a built site, from the links in a sample of its pages."""

import hashlib
import os
import re
from collections import deque
from dataclasses import replace
from html import unescape
from itertools import islice
from pathlib import Path

from searchsocket.errors import InvalidRequest
from searchsocket.sources.build_folder import BuildFolder
from searchsocket.web.urls.form import LinkVotes, UrlForm
from searchsocket.web.urls.paths import is_index, path_of_file
from searchsocket.web.urls.resolve import SiteBase, resolve_address, resolve_base

_VERSION = "1"  # of the sample and the counting
_FOLDERS = 24  # listed, from the top
_FILES_A_FOLDER = 24
_FILES = 40
_ENOUGH = 300  # distinct addresses; more do not change the result
_BYTES = 300_000  # read of each file; a page may begin with its styles
_TOTAL_BYTES = 2_500_000  # after which no further file is read
_SITEMAPS = ("sitemap.xml", "sitemap-0.xml")
# No `<` in a tag, so that each is read once, however broken the page is.
_HREF = re.compile(rb"""<a(?=\s)[^<>]*?\shref\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))""", re.IGNORECASE)
_LINK = re.compile(rb"<link(?=\s)([^<>]*)", re.IGNORECASE)
_BASE = re.compile(rb"""<base(?=\s)[^<>]*?\shref\s*=\s*["']?([^"'<>\s]+)""", re.IGNORECASE)
_CANONICAL = re.compile(rb"""\srel\s*=\s*["']?canonical\b""", re.IGNORECASE)
_CANONICAL_HREF = re.compile(rb"""\shref\s*=\s*["']?([^"'<>\s]+)""", re.IGNORECASE)
_LOCATION = re.compile(rb"<loc>\s*([^<\s]+)\s*</loc>")
_SAME_EVERYWHERE = (b"/", b"http:", b"https:", b"mailto:")
_HOST = re.compile(r"https?://[^/?#]*", re.IGNORECASE)


def form_of_build(root: str, build: BuildFolder, site: SiteBase, previous: UrlForm | None = None) -> UrlForm:
    """Detect the form of a build's addresses, from links and canonical tags of sample pages, and the sitemap.

    Args:
        root: Real path of the build folder.
        build: The lister of this folder.
        site: Where the links expect the site.
        previous: Result of an earlier run; returned if the sample is unchanged.
    """
    top = os.path.join(root, build.top)
    sample = _sample(build)
    evidence = _evidence(top, [*sample, *_SITEMAPS], f"{_VERSION} {site}")
    if previous is not None and previous.evidence == evidence:
        return previous
    votes = LinkVotes(lambda name: os.path.isfile(os.path.join(top, name)))  # noqa: PTH113  called for every link
    for name in _SITEMAPS:
        for location in _LOCATION.findall(_read(top, name)):
            if votes.links < _ENOUGH:
                _count(votes, _HOST.sub("", _text(location)), "/", site)
    size, counted = 0, set[tuple[str, bytes]]()
    for name in sample:
        if votes.links >= _ENOUGH or size >= _TOTAL_BYTES:
            break
        data = _read(top, name)
        size += len(data)
        _count_page(votes, data, name, site, counted)
    return replace(votes.form(), evidence=evidence)


def _sample(build: BuildFolder) -> list[str]:
    """Sample the upper folders, some pages of each, in a mixed order; paths are relative to the top folder."""
    sample: list[str] = []
    folders = deque([build.top])
    for _ in range(_FOLDERS):
        if not folders:
            break
        folder = folders.popleft()
        files: list[str] = []
        for name, is_folder in sorted(build.list(folder)):
            path = f"{folder}/{name}" if folder else name
            (folders if is_folder else files).append(path)
        sample += islice(files, 0, None, max(1, len(files) // _FILES_A_FOLDER))
    below = len(build.top) + 1 if build.top else 0
    return sorted((path[below:] for path in sample), key=_shuffle_key)[:_FILES]


def _shuffle_key(name: str) -> bytes:
    return hashlib.sha1(os.fsencode(name), usedforsecurity=False).digest()


def _evidence(top: str, names: list[str], how: str) -> str:
    """A digest that changes with the files of the sample and the way of counting."""
    total = hashlib.sha256(how.encode("utf-8", "surrogatepass"))
    for name in names:
        try:
            info = os.stat(os.path.join(top, name))
        except OSError:
            continue
        total.update(os.fsencode(f"{name}\0{info.st_size}\0{info.st_mtime_ns}\0"))
    return total.hexdigest()[:32]


def _read(top: str, name: str) -> bytes:
    path = Path(top, name)
    try:
        if not path.is_file():  # a pipe would block the run
            return b""
        with path.open("rb") as file:
            return file.read(_BYTES)
    except OSError:
        return b""  # listing the pages will report the error


def _count_page(votes: LinkVotes, data: bytes, name: str, site: SiteBase, counted: set[tuple[str, bytes]]) -> None:
    """Count the links of a page, except those in `counted` as (folder, address), such as repeated menu links."""
    try:
        served = path_of_file(name)
    except InvalidRequest:
        return
    if is_index(name.rpartition("/")[2]):
        served = served.rpartition("/")[0] + "/"
    if base := _BASE.search(data):
        served = resolve_base(_text(base[1]), served, site)
    for link in _LINK.finditer(data):
        if _CANONICAL.search(link[1]) and (href := _CANONICAL_HREF.search(link[1])):
            _count(votes, _HOST.sub("", _text(href[1])), "/", site)
    folder = served.rpartition("/")[0]
    for address in map(_address, _HREF.finditer(data)):
        key = ("" if address.startswith(_SAME_EVERYWHERE) else folder, address)
        if key not in counted:
            counted.add(key)
            _count(votes, _text(address), served, site)


def _count(votes: LinkVotes, href: str, served: str, site: SiteBase) -> None:
    if href:
        try:
            path = resolve_address(href, served, site)
        except InvalidRequest:
            return
        if path is not None:
            votes.count(path)


def _address(match: re.Match[bytes]) -> bytes:
    """An href without its fragment, so that links to several sections of a page count once."""
    return (match[1] or match[2] or match[3] or b"").partition(b"#")[0]


def _text(value: bytes) -> str:
    text = value.decode("utf-8", "replace").strip()
    return unescape(text) if "&" in text else text
