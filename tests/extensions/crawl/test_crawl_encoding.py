"""A packed answer unpacks to no more than a page may have, or is refused (spec 8.2 B)."""

import gzip
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.system.encoding import DamagedBody, unpacked_parts
from tests.extensions.crawl.crawling import Crawl
from tests.sources.web import Answer, serve

MAIN = b"<main><p>Whaling boats of the fjord.</p></main>"
PACKED = gzip.compress(MAIN)


def crawled(folder: Path, body: bytes, encoding: str, *, max_bytes: int = 100_000) -> str:
    """Return the text of the page from the crawler, or its problem."""
    with serve() as web:
        web.html("/", "<a href='/docs'>Docs</a>")
        web.pages["/docs"] = Answer(200, body, {"Content-Encoding": encoding})
        crawl = Crawl(web, folder, max_bytes=max_bytes)
        pages = {page.url: page for page in crawl.pages()}
        if "/docs" in pages:
            return crawl.source.read(pages["/docs"]).decode()
        return crawl.source.report.failed["/docs"].partition("/docs ")[2] or crawl.source.report.failed["/docs"]


def test_only_requested_encodings_are_unpacked(tmp_path: Path) -> None:
    with serve() as web:
        web.html("/", "<p>Home.</p>")
        Crawl(web, tmp_path).pages()
        assert {request.headers["Accept-Encoding"] for request in web.requests} == {"gzip"}


READ = {
    "as it is": (MAIN, "identity"),
    "gzip": (PACKED, "gzip"),
    "its old name": (PACKED, "X-GZip"),
    "gzip and nothing": (PACKED, "gzip, identity,"),
    "two members": (gzip.compress(MAIN[:20]) + gzip.compress(MAIN[20:]), "gzip"),
    "an empty member": (gzip.compress(b"") + PACKED, "gzip"),
    "noise behind the end": (PACKED + b"\0\0\n", "gzip"),
}


@pytest.mark.parametrize("name", READ)
def test_gzip_is_unpacked(tmp_path: Path, name: str) -> None:
    assert crawled(tmp_path, *READ[name]) == MAIN.decode()


REFUSED = {
    "two layers": (gzip.compress(PACKED), "gzip, gzip", "only one layer of gzip"),
    "thousands of layers": (PACKED, ", ".join(["gzip"] * 5_000), "only one layer of gzip"),
    "two different layers": (gzip.compress(zlib.compress(MAIN)), "deflate, gzip", "only one layer of gzip"),
    "zlib": (zlib.compress(MAIN), "deflate", "'deflate'; only one layer of gzip"),
    "raw deflate": (zlib.compress(MAIN, wbits=-15), "deflate", "'deflate'; only one layer of gzip"),
    "brotli": (MAIN, "br", "'br'; only one layer of gzip"),
    "an invention": (MAIN, "x-best", "'x-best'; only one layer of gzip"),
    "cut off": (PACKED[:-10], "gzip", "its end is missing"),
    "a wrong checksum": (PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:], "gzip", "damaged gzip"),
    "half a second member": (PACKED + PACKED[:15], "gzip", "its end is missing"),
    "no gzip": (MAIN, "gzip", "damaged gzip"),
    "a bomb": (gzip.compress(bytes(5_000_000)), "gzip", "larger than 100000 bytes"),
    "a bomb in members": (gzip.compress(bytes(60_000)) * 2, "gzip", "larger than 100000 bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_any_other_packing_is_a_failure_that_says_why(tmp_path: Path, name: str) -> None:
    body, encoding, reason = REFUSED[name]
    assert reason in crawled(tmp_path, body, encoding)


BOMBS = """
import gzip, resource, sys, tempfile, zlib
from pathlib import Path
from tests.extensions.crawl.test_crawl_encoding import crawled
def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
pack = zlib.compressobj(1, zlib.DEFLATED, 31)
bomb = b"".join(pack.compress(bytes(1_000_000)) for _ in range(200)) + pack.flush()
print(crawled(Path(tempfile.mkdtemp(dir=sys.argv[1])), b"small", "identity"))
before = peak_bytes()
for encoding, body in (("gzip", bomb), ("gzip, gzip", gzip.compress(bomb))):
    print(crawled(Path(tempfile.mkdtemp(dir=sys.argv[1])), body, encoding, max_bytes=20_000_000))
print(peak_bytes() - before)
"""


def test_bombs_take_no_more_memory_than_a_few_pages(tmp_path: Path) -> None:
    """200 MB in 1 MB, and that packed again; measured in a process of its own."""
    command = [sys.executable, "-c", BOMBS, str(tmp_path)]
    result = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    small, once, twice, growth = result.stdout.splitlines()
    assert (small, once) == ("small", "is larger than 20000000 bytes")
    assert "only one layer of gzip" in twice
    assert int(growth) < 5 * 20_000_000


@given(st.lists(st.binary(max_size=60), max_size=4), st.integers(1, 200), st.integers(0, 240))
def test_gzip_is_unpacked_whole_or_not_at_all(texts: list[bytes], piece: int, cut: int) -> None:
    """However the network cuts it, and wherever it ends."""
    packed = b"".join(map(gzip.compress, texts))[: cut or None]
    parts = [packed[start : start + piece] for start in range(0, len(packed), piece)]
    try:
        body = b"".join(unpacked_parts(parts, ["gzip"], 10_000))
    except DamagedBody:
        assert cut
    else:
        assert b"".join(texts).startswith(body)
