"""URL paths: one canonical form for each page, and prefixes of whole segments (spec 19)."""

import re
import unicodedata
from urllib.parse import quote_from_bytes, unquote_to_bytes

from searchsocket.errors import InvalidRequest

MAX_URL_CHARS = 2_000
_MAX_INPUT_CHARS = 12 * MAX_URL_CHARS  # one character may be written with four escapes
_MAX_DECODED_CHARS = 4 * MAX_URL_CHARS  # NFC joins at most a few characters into one

# Characters that a URL path must escape, invisible ones, and those that change the text direction.
_ENCODED = re.compile(
    r"""[\x00-\x20"#%/<>?\\^`{|}\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff0-\uffff\ud800-\udfff]"""
)
_PLAIN = re.compile(r"[A-Za-z0-9_.~-]*")  # nearly every segment
HTML_SUFFIX = re.compile(r"(?<=[^/])\.x?html?$", re.IGNORECASE)  # of a page's file, or of an address
_INDEX = re.compile(r"index\.x?html?", re.IGNORECASE)
_XHTML = re.compile(r"\.xhtml?$", re.IGNORECASE)


def canonical_path(path: str) -> str:
    """The canonical form of a URL path, which identifies a page.

    Leading slash, no trailing one, no query or fragment, no empty or dot segments. Escapes are decoded if the character
    is visible, and otherwise written in upper case. Idempotent.

    Raises:
        InvalidRequest: The path contains a NUL or is longer than 2,000 characters.
    """
    if len(path) > _MAX_INPUT_CHARS:
        raise InvalidRequest(f"URL path of {len(path)} characters; the limit is {MAX_URL_CHARS}")
    segments: list[str] = []
    for raw in without_query(path).split("/"):
        segment = _canonical_segment(raw)
        if segment == "..":
            del segments[-1:]
        elif segment not in ("", "."):
            segments.append(segment)
    url = "/" + "/".join(segments)
    if len(url) > MAX_URL_CHARS:
        raise InvalidRequest(f"URL path of {len(url)} characters; the limit is {MAX_URL_CHARS}")
    return url


def path_of_file(name: str) -> str:
    """Canonical path of a file name; `%`, `?` and `#` are ordinary characters, as on a file server.

    Raises:
        InvalidRequest: As `canonical_path`.
    """
    return canonical_path(name.replace("%", "%25").replace("?", "%3F").replace("#", "%23"))


def join_name(url: str, name: str) -> str:
    """Canonical path of a file or folder called `name` below the canonical path `url`.

    Raises:
        InvalidRequest: As `canonical_path`; or the name is not a segment, like `..`.
    """
    own = path_of_file(name)
    if own.count("/") != 1 or own == "/":
        raise InvalidRequest(f"the name {name!a} cannot be part of a URL")
    joined = ("" if url == "/" else url) + own
    if len(joined) > MAX_URL_CHARS:
        raise InvalidRequest(f"URL path of {len(joined)} characters; the limit is {MAX_URL_CHARS}")
    return joined


def path_with_query(path: str, query: str) -> str:
    """The page path of an address whose query selects a page: `/list` with `page=2` is `/list%3Fpage=2`.

    Raises:
        InvalidRequest: As `canonical_path`.
    """
    parameters = "&".join(sorted(filter(None, query.split("&"))))
    return canonical_path(f"{path}%3F{parameters.replace('/', '%2F').replace('?', '%3F')}")


def page_path(path: str) -> str:
    """The page path of a canonical path, independent of the form of the site's addresses.

    `/docs/wal.html` is the page `/docs/wal`, and `/docs/index.html` is `/docs`. So a page stays the same in a build, in
    a crawl, and if the site changes the form of its addresses.
    """
    folder, _, name = path.rpartition("/")
    return folder or "/" if is_index(name) else HTML_SUFFIX.sub("", path)


def page_readings(path: str) -> tuple[str, ...]:
    """The pages that a canonical path may mean, an exact match first: a page may have the path `/page.html`."""
    return tuple(dict.fromkeys((path, page_path(path))))


def below_base(path: str, base: str) -> tuple[str, ...]:
    """The possible page paths of a canonical path on a site with a base path: itself, or the part after it."""
    return (path, path[len(base) :] or "/") if base and under_prefix(path, base) else (path,)


def is_index(name: str) -> bool:
    """Return True if a file with this name is the page of its folder."""
    return _INDEX.fullmatch(name) is not None


def is_xhtml(name: str) -> bool:
    """Return True if a file with this name is XHTML: browsers read it as XML, and no host adds its suffix."""
    return _XHTML.search(name) is not None


def under_prefix(url: str, prefix: str) -> bool:
    """Return True if `url` is `prefix` or below it, by whole segments; `prefix` comes from `normalise_prefix`."""
    prefix = prefix.rstrip("/")
    return url.startswith(prefix) and (len(url) == len(prefix) or url[len(prefix)] == "/")


def normalise_prefix(prefix: str) -> str:
    """The canonical form of a path prefix: `/docs` for `docs`, `/docs` and `/docs/`; "", which matches all, for `/`.

    Raises:
        InvalidRequest: As `canonical_path`.
    """
    url = canonical_path(prefix)
    return "" if url == "/" else url


def ancestors(url: str) -> tuple[str, ...]:
    """A canonical path and all its parents, outermost first: `/docs/a` gives `/`, `/docs`, `/docs/a`."""
    cuts = [i for i, char in enumerate(url) if char == "/" and i > 0]
    return ("/", *(url[:cut] for cut in cuts), *([url] if url != "/" else []))


def path_depth(url: str) -> int:
    """Number of segments of a canonical path; 0 for the root."""
    return 0 if url == "/" else url.count("/")


def without_query(path: str) -> str:
    """A path or URL up to its query or fragment."""
    return re.split(r"[?#]", path, maxsplit=1)[0]


def sort_key(url: str) -> str:
    """Sort key that keeps everything under one prefix together: `/docs`, `/docs/a`, `/docs-old`."""
    return url.replace("/", "\x01")  # canonical paths contain no control characters


def _canonical_segment(raw: str) -> str:
    if _PLAIN.fullmatch(raw):
        return raw
    # Bytes that are not UTF-8 become lone surrogates, which are encoded again at the end.
    octets = unquote_to_bytes(raw.encode("utf-8", "surrogateescape" if _only_escapes(raw) else "surrogatepass"))
    text = octets.decode("utf-8", "surrogateescape")
    if "\x00" in text:
        raise InvalidRequest("URL path contains a NUL")
    if len(text) > _MAX_DECODED_CHARS:
        raise InvalidRequest(f"URL path of {len(text)} characters; the limit is {MAX_URL_CHARS}")
    return _ENCODED.sub(_encode, unicodedata.normalize("NFC", text))


def _only_escapes(text: str) -> bool:
    """Return True if all lone surrogates encode bytes, as `os.fsdecode` creates them."""
    return not re.search("[\ud800-\udc7f\udd00-\udfff]", text)


def _encode(match: re.Match[str]) -> str:
    return quote_from_bytes(match[0].encode("utf-8", "surrogateescape"), safe="")
