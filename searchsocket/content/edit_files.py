"""Find the file to edit for a page: by its edit link, its address, and the title and text of the project's files.

A file is named only if the page agrees with it. If two files fit equally well, or the edit link contradicts the text,
none is named.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from searchsocket.content.markdown.lines import source_lines
from searchsocket.content.markdown.page import split_front_matter

MARKUP = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc")
_VERSION = "1"  # of the rules here; part of the digest
_INDEX = frozenset({"index", "_index", "readme", "_readme"})
_ABOUT_PROJECT = "readme.md"
_NUMBER = re.compile(r"\d+(?:[-_.]+\d+)*[-_. ]+(?=\D)")  # `01-install`
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?-")  # of a post: `2024-05-01-name`
_LANGUAGE = re.compile(r"\.[a-z]{2}(?:-[a-zA-Z]{2,4})?$")  # `about.de`
_WORD = re.compile(r"[^\W_]{4,}")
_LETTERS = re.compile(r"[^\W_]+")
_HEADING = re.compile(
    r"^#[ \t]+(?P<atx>.+?)[ \t]*#*[ \t]*$|^=[ \t]+(?P<adoc>.+)$|^(?P<set>\S.*)\n(?P<line>[=~*#-])(?P=line){2,}[ \t]*$"
    r"|<h1\b[^>]*>(?P<html>[^<]+(?:<(?!/h1)[^<]*)*)</h1>",
    re.MULTILINE | re.IGNORECASE,
)
# A directive that puts the text of another file on the page: of reStructuredText, MyST, AsciiDoc, Markdown-it, PyMdown
# and mdBook.
_INCLUDE = re.compile(
    r"""^(?:\.\.[ ]include::[ ]|`{3,}\{include\}[ ]|include::|<!--@include:[ ]*|-{1,}8<-{1,}[ ]["']|\{\{\#include[ ])"""
    r"(?P<path>[\w./-]+)",
    re.MULTILINE,
)
_CODE_FRONT_MATTER = re.compile(r"\A---\w+\n.*?\n---[ \t]*\n", re.DOTALL)  # of Eleventy: `---js`
_TAGS = re.compile(r"<[^>]*>|\{#[^}]*\}|\{\{.*?\}\}|:[a-z-]+:(?=`)|\]\([^)]*\)|`__?")
_VERSIONED = re.compile(r"versioned_docs/version-([^/]+)/")
_LATEST = ("", "current", "next")
_ENOUGH_WORDS = 8
# Shares of a page's words that its file contains.
_AGREES = 0.3  # with a link, or title and address
_LIKELY = 0.5
_CERTAIN = 0.75
_TIE = 0.02


@dataclass(frozen=True, slots=True)
class EditedPage:
    """Facts of a built page that its file shares."""

    url: str  # canonical path
    titles: tuple[str, ...]
    body: str
    edit_link: str = ""  # see `html/extract.py`
    version: str = ""  # of the documentation


@dataclass(frozen=True, slots=True)
class _File:
    """Text of a file."""

    titles: frozenset[str]  # comparable
    slug: tuple[str, ...]  # segments of the address in its front matter
    words: frozenset[str]
    text: str  # without front matter
    includes: tuple[str, ...]  # paths of files whose text is on the page too
    above: int  # lines of the front matter


@dataclass(frozen=True, slots=True, order=True)
class _Evidence:
    """Agreement of a page with a file, strongest first."""

    is_whole: bool  # all segments of the address
    has_title: bool
    share: float  # of the page's words in the file
    segments: int  # last segments of the address that are those of the file
    has_include: bool = False
    is_index: bool = False  # a file that makes the page of its folder
    is_template: bool = False  # markup is read from the file as it is; a template has little text of its own


@dataclass(slots=True)
class EditFiles:
    """The files of a project that pages may be made from."""

    names: Sequence[str]  # project-relative
    read: Callable[[str], str | None]
    digest: str = ""  # equal digests mean the same files
    _known: frozenset[str] = field(default=frozenset(), init=False)
    _keys: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False)
    _by_last: dict[str, list[str]] = field(default_factory=dict, init=False)
    _texts: dict[str, _File] = field(default_factory=dict, init=False)
    _by_title: Mapping[str, list[str]] | None = field(default=None, init=False)
    _has_versions: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._known = frozenset(self.names)
        self._has_versions = any(_VERSIONED.search(name) for name in self.names)
        self.digest = hashlib.sha256("\n".join([_VERSION, *sorted(self.names)]).encode("utf-8", "replace")).hexdigest()
        for name in self.names:
            self._keys[name] = key = _key(name)
            for last in {key[-1] if key else "", _LANGUAGE.sub("", key[-1] if key else "")}:
                self._by_last.setdefault(last, []).append(name)

    def file_of(self, page: EditedPage) -> str:
        """Return the file of a page, project-relative; "" if none or several fit."""
        words = frozenset(_WORD.findall(_TAGS.sub(" ", page.body).casefold()))
        titles = frozenset(filter(None, map(_comparable, page.titles)))
        segments = _segments(page.url)
        rivals = self._rated(self._same_name(segments), segments, titles, words, page.version)
        if page.edit_link:
            return self._linked(page.edit_link, segments, titles, words, rivals, page.version)
        accepted = [(evidence, name) for evidence, name in rivals if _is_enough(evidence, words)]
        if not accepted:
            names = {name for title in titles for name in self._titled().get(title, ())}
            names |= set(self._titled().get(f"/{'/'.join(segments)}", ()))
            others = self._rated(names, segments, titles, words, page.version)
            accepted = [(evidence, name) for evidence, name in others if _is_enough(evidence, words)]
        return _best(accepted)

    def lines_of(self, name: str, body: str) -> tuple[int, ...]:
        """Return the lines in a file of each block of a page, see `source_lines`; () for a template."""
        if not name.endswith(MARKUP):
            return ()
        file = self._file(name)
        return source_lines(body, file.text, file.above)

    def _linked(
        self,
        link: str,
        segments: tuple[str, ...],
        titles: frozenset[str],
        words: frozenset[str],
        rivals: list[tuple[_Evidence, str]],
        version: str,
    ) -> str:
        """Return the file of an edit link, if the page agrees and no other file fits much better."""
        parts = normpath(link).split("/")
        tails = ("/".join(parts[at:]) for at in range(1, len(parts)))
        name = next((tail for tail in tails if tail in self._known), "")
        if not name and parts[0] == "_sources":
            ends = [known for known in self.names if f"/{known}".endswith(f"/{'/'.join(parts[1:])}")]
            name = ends[0] if len(ends) == 1 else _best(self._rated(ends, segments, titles, words, version))
        if not name:
            # The file is elsewhere, or its folder is named differently: only a file of the same name may be it.
            accepted = [(evidence, other) for evidence, other in rivals if _is_enough(evidence, words)]
            best = _best(accepted)
            return best if best.rpartition("/")[2] == parts[-1] else ""
        evidence = self._evidence(name, segments, titles, words)
        is_direct = name == "/".join(parts[1:])
        agrees = evidence.has_title or evidence.share >= _LIKELY
        agrees = agrees or (is_direct and (evidence.is_whole or evidence.share >= _AGREES))
        is_contradicted = any(
            other != name and rival.is_whole and rival.share > evidence.share + _AGREES for rival, other in rivals
        )
        return name if agrees and not is_contradicted else ""

    def _same_name(self, segments: tuple[str, ...]) -> list[str]:
        if not segments:  # the home page, from a file in the folder of all sources
            files = [name for name in self.names if _stem(name) in _INDEX and name.casefold() != _ABOUT_PROJECT]
            depth = min((len(self._keys[name]) for name in files), default=0)
            return [name for name in files if len(self._keys[name]) == depth]
        return self._by_last.get(segments[-1], [])

    def _rated(
        self,
        names: Iterable[str],
        segments: tuple[str, ...],
        titles: frozenset[str],
        words: frozenset[str],
        version: str,
    ) -> list[tuple[_Evidence, str]]:
        return [
            (self._evidence(name, segments, titles, words), name)
            for name in sorted(names)
            if self._is_of_version(name, version)
        ]

    def _is_of_version(self, name: str, version: str) -> bool:
        match = _VERSIONED.search(name)
        if match is None:
            return not (self._has_versions and version) or version in _LATEST
        return not version or match[1] == version

    def _evidence(
        self, name: str, segments: tuple[str, ...], titles: frozenset[str], words: frozenset[str]
    ) -> _Evidence:
        file, key = self._file(name), self._keys[name]
        equal = max(_equal_ends(segments, key), _equal_ends(segments, file.slug))
        share = len(words & file.words) / len(words) if words else 0.0
        is_whole = bool(segments) and equal == len(segments)
        is_index = _stem(name) in _INDEX
        is_template = not name.endswith(MARKUP)
        return _Evidence(is_whole, bool(titles & file.titles), share, equal, bool(file.includes), is_index, is_template)

    def _file(self, name: str) -> _File:
        if name not in self._texts:
            file = _parsed(self.read(name) or "")
            paths = (normpath(join(dirname(name), path)) for path in file.includes)
            others = [_parsed(self.read(path) or "") for path in paths if not path.startswith("..")]
            self._texts[name] = replace(
                file,
                titles=file.titles.union(*(other.titles for other in others)),
                words=file.words.union(*(other.words for other in others)),
            )
        return self._texts[name]

    def _titled(self) -> Mapping[str, list[str]]:
        """Return the files by title, and by the address in their front matter."""
        if self._by_title is None:
            by_title: dict[str, list[str]] = {}
            for name in self.names:
                file = self._file(name)
                for title in {*file.titles, *([f"/{'/'.join(file.slug)}"] if file.slug else [])}:
                    by_title.setdefault(title, []).append(name)
            self._by_title = by_title
        return self._by_title


def _is_enough(evidence: _Evidence, words: frozenset[str]) -> bool:
    """Return True if a page was certainly made from a file, unless another fits as well."""
    is_long = len(words) >= _ENOUGH_WORDS
    if evidence.is_whole:
        return evidence.has_title or evidence.is_template or evidence.share >= _LIKELY
    if evidence.is_index or evidence.segments:
        return evidence.share >= (_LIKELY if evidence.has_title else _CERTAIN) and is_long
    return evidence.has_title and evidence.share >= _CERTAIN and is_long


def _best(rated: list[tuple[_Evidence, str]]) -> str:
    """Return the file with the strongest evidence; "" if another is as good."""
    if not rated:
        return ""
    ordered = sorted(
        rated, key=lambda pair: (pair[0].is_whole, pair[0].has_title, pair[0].has_include, pair[0]), reverse=True
    )
    (first, name), *others = ordered
    for second, _ in others:
        is_equal = (second.is_whole, second.has_title) == (first.is_whole, first.has_title)
        if is_equal and second.segments >= first.segments and second.share >= first.share - _TIE:
            if first.has_include != second.has_include:
                continue  # one includes the other; `ordered` has it first
            return ""
        if second.share > first.share + _AGREES and second.segments:
            return ""  # the text is that of another file with this name
    return name


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0].casefold()


def _key(name: str) -> tuple[str, ...]:
    """Return the segments of a file as in an address: without extension, numbers, date and `index`."""
    folder, _, file = _VERSIONED.sub("docs/", name).rpartition("/")
    stem = file[: file.rfind(".")] if "." in file else file
    parts = [*filter(None, folder.split("/")), _DATE.sub("", stem)]
    return _plain(parts[:-1] if _LANGUAGE.sub("", stem).casefold() in _INDEX else parts)


def _segments(url: str) -> tuple[str, ...]:
    path = re.sub(r"(?:(?:^|/)index)?\.html?$", "", unquote(url))
    return _plain(filter(None, path.split("/")))


def _plain(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(re.sub(r"[\s_]+", "-", _NUMBER.sub("", part, count=1).casefold()) for part in parts)


def _equal_ends(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    count = 0
    for a, b in zip(reversed(first), reversed(second), strict=False):
        if a != b and _LANGUAGE.sub("", b) != a:
            break
        count += 1
    return count


def _comparable(title: str) -> str:
    return " ".join(_LETTERS.findall(_TAGS.sub(" ", title).casefold()))


def _parsed(text: str) -> _File:
    values, body, _ = split_front_matter(text)
    body = _CODE_FRONT_MATTER.sub("", body, count=1)
    body, above = (body, text[: len(text) - len(body)].count("\n")) if text.endswith(body) else (text, 0)
    stated = {str(values.get(name) or "") for name in ("title", "sidebar_label", "linkTitle", "Title")}
    titles = {*stated, *filter(None, _headings(body))}
    slug = str(values.get("permalink") or values.get("slug") or values.get("url") or "")
    return _File(
        frozenset(filter(None, map(_comparable, titles))),
        _segments(slug),
        frozenset(_WORD.findall(_TAGS.sub(" ", text).casefold())),
        body,
        tuple(match["path"] for match in _INCLUDE.finditer(body)),
        above,
    )


def _headings(body: str) -> Iterator[str]:
    match = _HEADING.search(body)
    if match:
        yield match["atx"] or match["adoc"] or match["set"] or match["html"]
