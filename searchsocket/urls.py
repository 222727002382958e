"""URL paths: one spelling for each page, links resolved against it, and prefixes by whole segments (DESIGN 7)."""

import re
import unicodedata
from urllib.parse import SplitResult, quote_from_bytes, unquote_to_bytes, urlsplit

from searchsocket.errors import InvalidRequest

MAX_URL_CHARS = 2_000
_MAX_INPUT_CHARS = 12 * MAX_URL_CHARS  # one character may be written with four escapes
_MAX_DECODED_CHARS = 4 * MAX_URL_CHARS  # NFC joins at most a few characters into one

# What a URL path cannot hold as itself, and what cannot be seen or turns the direction of a line.
_ENCODED = re.compile(
    r"""[\x00-\x20"#%/<>?\\^`{|}\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff0-\uffff\ud800-\udfff]"""
)
_PLAIN = re.compile(r"[A-Za-z0-9_.~-]*")  # nearly every segment
_IGNORED_IN_HREF = re.compile(r"[\t\n\r]")
_C0_AND_SPACE = "".join(map(chr, range(0x21)))
_DEFAULT_PORTS = {80, 443, None}


def canonical_path(path: str) -> str:
    """The one spelling of a URL path, which is the identity of a page.

    Leading slash, no trailing one, no query or fragment, no empty or dot segments; escapes are decoded where the
    character can be shown, and written in upper case where it cannot. Idempotent.

    Raises:
        InvalidRequest: The path holds a NUL or is longer than 2,000 characters.
    """
    if len(path) > _MAX_INPUT_CHARS:
        raise InvalidRequest(f"URL path of {len(path)} characters; the limit is {MAX_URL_CHARS}")
    segments: list[str] = []
    for raw in _without_query(path).split("/"):
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
    """Canonical path of a file name: here `%`, `?` and `#` are ordinary characters, as on a file server.

    Raises:
        InvalidRequest: As `canonical_path`.
    """
    return canonical_path(name.replace("%", "%25").replace("?", "%3F").replace("#", "%23"))


def join_name(url: str, name: str) -> str:
    """Canonical path of a file or folder called `name` below the canonical path `url`.

    Raises:
        InvalidRequest: As `canonical_path`; or the name makes no segment of its own, like `..`.
    """
    own = path_of_file(name)
    if own.count("/") != 1 or own == "/":
        raise InvalidRequest(f"the name {name!a} makes no URL")
    joined = ("" if url == "/" else url) + own
    if len(joined) > MAX_URL_CHARS:
        raise InvalidRequest(f"URL path of {len(joined)} characters; the limit is {MAX_URL_CHARS}")
    return joined


def resolve_link(href: str, served_url: str, *, base_url: str = "", base_path: str = "") -> str | None:
    """Where a link on a page leads on this site.

    Args:
        href: As written in the page.
        served_url: The path of the page that relative links resolve against, without the base path.
        base_url: Where the site is published, e.g. `https://example.com`; links to that host are internal.
        base_path: The base path that the site's own links carry, e.g. `/docs`.

    Returns:
        A canonical path without the base path; None when the link leaves the site or means nothing.
    """
    resolved = resolve_base(href, served_url, base_url=base_url, base_path=base_path)
    return None if resolved is None else canonical_path(resolved)


def resolve_base(href: str, served_url: str, *, base_url: str = "", base_path: str = "") -> str | None:
    """Like `resolve_link`, but a trailing slash stays: the `served_url` that a page's `<base href>` asks for."""
    # Browsers drop these characters and read a backslash as a slash.
    text = _IGNORED_IN_HREF.sub("", href.strip(_C0_AND_SPACE))
    head = _without_query(text)
    parts = _split(head.replace("\\", "/"))
    if parts is None or not _is_internal(parts, base_url):
        return None
    root = normalise_prefix(base_path)
    if parts.netloc or parts.path.startswith("/"):
        path = parts.path or "/"
    else:
        served = root + served_url
        path = served if parts.path == "" else served[: served.rfind("/") + 1] + parts.path
    return _below(root, path)


def under_prefix(url: str, prefix: str) -> bool:
    """Whether `url` is `prefix` or below it, by whole segments; `prefix` as `normalise_prefix` gives it."""
    prefix = prefix.rstrip("/")
    return url.startswith(prefix) and (len(url) == len(prefix) or url[len(prefix)] == "/")


def normalise_prefix(prefix: str) -> str:
    """The one spelling of a path prefix: `docs`, `/docs` and `/docs/` are `/docs`; `/` is the empty one, everything.

    Raises:
        InvalidRequest: As `canonical_path`.
    """
    url = canonical_path(prefix)
    return "" if url == "/" else url


def ancestors(url: str) -> tuple[str, ...]:
    """The canonical path and all above it, outermost first: `/docs/a` gives `/`, `/docs`, `/docs/a`."""
    cuts = [i for i, char in enumerate(url) if char == "/" and i > 0]
    return ("/", *(url[:cut] for cut in cuts), *([url] if url != "/" else []))


def path_depth(url: str) -> int:
    """Number of segments of a canonical path; 0 for the root."""
    return 0 if url == "/" else url.count("/")


def sort_key(url: str) -> str:
    """A key by which everything under one prefix is one contiguous run: `/docs`, `/docs/a`, `/docs-old`."""
    return url.replace("/", "\x01")  # canonical paths hold no control characters


def _without_query(path: str) -> str:
    return re.split(r"[?#]", path, maxsplit=1)[0]


def _canonical_segment(raw: str) -> str:
    if _PLAIN.fullmatch(raw):
        return raw
    # Bytes that are not UTF-8 travel as lone surrogates, which are encoded again at the end.
    octets = unquote_to_bytes(raw.encode("utf-8", "surrogateescape" if _only_escapes(raw) else "surrogatepass"))
    text = octets.decode("utf-8", "surrogateescape")
    if "\x00" in text:
        raise InvalidRequest("URL path holds a NUL")
    if len(text) > _MAX_DECODED_CHARS:
        raise InvalidRequest(f"URL path of {len(text)} characters; the limit is {MAX_URL_CHARS}")
    return _ENCODED.sub(_encode, unicodedata.normalize("NFC", text))


def _only_escapes(text: str) -> bool:
    """Whether all lone surrogates stand for bytes, as `os.fsdecode` makes them."""
    return not re.search("[\ud800-\udc7f\udd00-\udfff]", text)


def _encode(match: re.Match[str]) -> str:
    return quote_from_bytes(match[0].encode("utf-8", "surrogateescape"), safe="")


def _split(head: str) -> SplitResult | None:
    try:
        parts = urlsplit(head)
        _ = parts.port  # parsed only when asked for
    except ValueError:
        return None
    return parts


def _is_internal(parts: SplitResult, base_url: str) -> bool:
    if not parts.netloc:
        return not parts.scheme and not parts.path.startswith("//")
    base = _split(base_url if "//" in base_url else "//" + base_url)
    if base is None or not base.hostname or parts.scheme not in ("", "http", "https"):
        return False
    return _host(parts) == _host(base)


def _host(parts: SplitResult) -> tuple[str, int | None]:
    """Host and port; the scheme is left out, since one site answers on both."""
    name = (parts.hostname or "").rstrip(".")
    try:
        name = name.encode("idna").decode("ascii") if not name.isascii() else name
    except UnicodeError:
        name = ""
    return name, None if parts.port in _DEFAULT_PORTS else parts.port


def _below(root: str, path: str) -> str | None:
    """`path` without the base path; None outside it, or when no canonical path can be made of it."""
    try:
        url = canonical_path(path)
    except InvalidRequest:
        return None
    if not under_prefix(url, root):
        return None
    url = url[len(root) :] or "/"
    last = path.rpartition("/")[2]
    is_folder = unquote_to_bytes(last.encode("utf-8", "replace")) in (b"", b".", b"..")
    return url + "/" if is_folder and url != "/" else url
