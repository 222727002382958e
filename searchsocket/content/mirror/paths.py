"""The file that mirrors a URL: one file for each URL, on every file system."""

import hashlib
import re
import unicodedata
from pathlib import Path

from searchsocket.errors import UnsafePath

_PLAIN = re.compile(r"(?![.-])[\w.%@+,=()!&'-]+(?<!\.)")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)
_UNREADABLE = re.compile(r"[^A-Za-z0-9._-]+")
_SEGMENT_BYTES = 100
_PATH_BYTES = 200  # of the whole relative path: the lowest common limit is 260 including the parent folder
_READABLE_CHARS = 40


def mirror_name(url: str) -> str:
    """The mirror file of a canonical URL path, relative to the scope's folder (spec 8.4).

    `/guide/first-steps` is `guide/first-steps.md` and `/` is `index.md`. A segment that some file system would
    change, refuse or confuse with another one (capitals, `CON`, `a.`, `..`, long ones) gets `~` and a hash of itself,
    and a path that is too long as a whole gets a hash of the URL. No two URLs share a file; no file is also a folder.

    Raises:
        UnsafePath: The URL does not begin with a slash.
    """
    if not url.startswith("/"):
        raise UnsafePath(f"{url!r} is not a URL path")
    if url == "/":
        return "index.md"
    *folders, last = url[1:].split("/")
    names = [_name(folder, is_reserved=folder.endswith(".md")) for folder in folders]
    # The home page uses index.md.
    names.append(_name(last, is_reserved=last == "index" and not folders) + ".md")
    if sum(len(name.encode()) + 1 for name in names) <= _PATH_BYTES:
        return "/".join(names)
    parts, used = [], 0
    for name in names[:-1]:
        used += len(name.encode()) + 1
        if used > _PATH_BYTES // 2:
            break
        parts.append(name)
    return "/".join([*parts, _hash_name(last, url) + ".md"])


def mirror_file(root: Path, url: str) -> Path:
    """The mirror file of `url` inside the folder `root`.

    Raises:
        UnsafePath: A symbolic link in the mirror leads elsewhere.
    """
    # A cold run calls this several times per page, so only names inside the mirror are checked.
    file = root
    for name in mirror_name(url).split("/"):
        file = file / name
        if file.is_symlink():
            raise UnsafePath(f"{file} leaves the mirror through a symbolic link; remove the link")
    return file


def _name(segment: str, *, is_reserved: bool) -> str:
    return segment if _is_plain(segment) and not is_reserved else _hash_name(segment, segment)


def _is_plain(segment: str) -> bool:
    """Return True if every file system stores the segment unchanged and distinct from all other plain ones."""
    return (
        _PLAIN.fullmatch(segment) is not None
        and _RESERVED.match(segment) is None
        and len(segment.encode("utf-8", "surrogatepass")) <= _SEGMENT_BYTES
        and segment.isprintable()
        # Stable under the foldings of case-insensitive and normalising file systems.
        and unicodedata.normalize("NFKC", segment) == segment
        and segment.casefold() == segment
        and segment.upper().casefold() == segment
    )


def _hash_name(segment: str, identity: str) -> str:
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    readable = _UNREADABLE.sub("-", segment)[:_READABLE_CHARS].strip(".-")
    if _RESERVED.match(readable):
        readable = readable.replace(".", "-")
    return f"{readable}~{digest}"
