"""Metadata from the head of a page."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from searchsocket.content.html.tree import Element, one_line, raw_text, text_of
from searchsocket.content.page_fields import FIELDS
from searchsocket.text.facets import NO_FACETS, Facets, read_facets
from searchsocket.web.languages import MAX_ALTERNATES
from searchsocket.web.versions.names import MAX_NAME_CHARS

_SEPARATORS = re.compile(r"\s+(?:[|·•—–»:]|::|-|\|\|)\s+")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_WORDS = re.compile(r"\w+")
_TITLE_CHARS = 300
_NAME_CHARS = 80  # a longer <title> describes the page instead of naming it
_NUMBERED = re.compile(r"(?:\d{1,3}[.)]|\d{1,3}(?:\.\d{1,3})+[.)]?|[IVXL]{1,6}\.)\s+\S")
_NO_DESCRIPTIONS = frozenset({"None", "A VitePress site"})  # placeholders of MkDocs and VitePress
_MAX_WEIGHT = 100.0


@dataclass(frozen=True, slots=True)
class Metadata:
    """The head of a page, each value on one line."""

    head_title: str  # text of <title>
    og_title: str
    site_name: str
    description: str
    language: str
    canonical: str
    version: str
    alternates: tuple[tuple[str, str], ...]  # `hreflang` and `href` of each translation
    base_href: str
    robots: tuple[str, ...]  # contents of its robots metas
    weight: float | None  # None: not stated
    docusaurus_tag: str
    tags: tuple[str, ...]
    facets: tuple[str, ...]
    fields: Mapping[str, Any]  # of `page_fields.FIELDS`
    warnings: tuple[str, ...]


def read_metadata(root: Element, facets: Facets = NO_FACETS) -> Metadata:
    """Read the metas, links and title; the first non-empty value of a name wins.

    Args:
        facets: Other names to read, each by itself or as `searchsocket-NAME`.
    """
    metas: dict[str, list[str]] = {}
    for meta in root.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").strip().lower()
        value = one_line(meta.get("content") or "")
        if name and value:
            metas.setdefault(name, []).append(value)

    def first(*names: str) -> str:
        return next((metas[name][0] for name in names if name in metas), "")

    def stated(name: str) -> object:
        own, plain = f"searchsocket-{name}".lower(), name.lower()
        values = metas.get(own) or metas.get(plain) or [""]
        return values[0] if facets[name] != "strings" else [part for value in values for part in value.split(",")]

    weight_text = first("searchsocket-weight")
    weight, warning = parse_weight(weight_text)
    labels, untyped = read_facets(facets, stated)
    return Metadata(
        head_title=_head_title(root),
        og_title=first("og:title")[:_TITLE_CHARS],
        site_name=first("og:site_name", "application-name")[:_TITLE_CHARS],
        description=_description(first("description", "og:description", "twitter:description")),
        language=parse_language(root.get("lang") or root.get("xml:lang") or first("language")),
        canonical=_link(root, "canonical"),
        version=parse_version(first("docsearch:version", "docusaurus_version")),
        alternates=tuple(islice(_alternates(root), MAX_ALTERNATES + 1)),
        base_href=next((base.get("href") or "" for base in root.iter("base") if base.get("href")), "").strip(),
        robots=tuple(metas.get("robots", ())),
        weight=weight if weight_text else None,
        docusaurus_tag=first("docsearch:docusaurus_tag", "docusaurus_tag"),
        tags=parse_tags([*metas.get("searchsocket-tags", ()), *metas.get("article:tag", ())]),
        facets=labels,
        fields={field.name: field.parse(first(*field.metas)) for field in FIELDS if field.parse},
        warnings=(*filter(None, [warning]), *untyped),
    )


def _description(text: str) -> str:
    return "" if text in _NO_DESCRIPTIONS else text


def choose_title(meta: Metadata, h1: str, first_heading: str, url: str) -> str:
    """The page's own name: `og:title`, else the h1, else `<title>` without the site's name.

    A title is skipped if it only repeats the site's name, or if neither the h1 nor the URL agrees with it. An h1
    with a number belongs to the first section; then a short `<title>` is the name of the page.
    """
    og = strip_site(meta.og_title, meta.site_name, h1 or first_heading)
    head = strip_site(meta.head_title, meta.site_name, h1 or first_heading)
    slug = set(_WORDS.findall(url.rsplit("/", 1)[-1].casefold().replace("_", " ")))
    heading = h1 or first_heading
    words, own = (set(_WORDS.findall(text.casefold())) for text in (og, heading))
    if (
        og
        and heading
        and not _overlap(og, heading)
        and slug
        and not slug & words
        and (slug & own or (head and _overlap(head, heading)))
    ):
        # The same og:title on every page: only the heading or <title> identifies this page.
        og, head = "", "" if head == og else head
    if og and heading and url != "/" and og.casefold() != heading.casefold() and _is_site_part(og, meta.head_title):
        og = ""
    site = meta.site_name.casefold()
    is_section = is_numbered(h1) and not is_numbered(head) and len(head) <= _NAME_CHARS
    for text in (og, head, h1) if is_section else (og, h1, head):
        if text and (text.casefold() != site or url == "/"):
            return text[:_TITLE_CHARS]
    last = url.rsplit("/", 1)[-1]
    return (first_heading or head or og or one_line(last.replace("-", " ").replace("_", " ")) or url)[:_TITLE_CHARS]


def is_numbered(heading: str) -> bool:
    """Return True if a heading has a section number: `1. Syntax`, `4.2 Limits`."""
    return _NUMBERED.match(heading) is not None


def home_link_name(root: Element, title: str, is_home: Callable[[str], bool]) -> str:
    """The site's name in a link to the home page, if the title contains it too; otherwise ""."""
    parts = {part.casefold(): part for part in _SEPARATORS.split(title) if part}
    for anchor in root.iter("a"):
        name = parts.get(text_of(anchor).casefold(), "")
        if name and is_home(anchor.get("href") or ""):
            return name
    return ""


def _is_site_part(og: str, head_title: str) -> bool:
    """Return True if `Acme` is only the last part of `Install | Acme`."""
    parts = _SEPARATORS.split(head_title)
    return len(parts) > 1 and og.casefold() in (part.casefold() for part in parts)


def _overlap(first: str, second: str) -> bool:
    first, second = first.casefold(), second.casefold()
    return first in second or second in first


def strip_site(title: str, site_name: str, h1: str) -> str:
    """`Install | Acme` -> `Install`, if `Acme` is the name of the site or `Install` is the h1 of the page."""
    parts = list(_SEPARATORS.finditer(title))
    if not parts:
        return title
    if h1:
        for match in parts:
            if title[: match.start()].casefold() == h1.casefold():
                return title[: match.start()]
    head, tail = title[: parts[-1].start()], title[parts[-1].end() :]
    start, end = title[: parts[0].start()], title[parts[0].end() :]
    if site_name and tail.casefold() == site_name.casefold():
        return head
    if site_name and start.casefold() == site_name.casefold():
        return end
    return title  # the text after a separator may also be part of the page's own name


def parse_weight(text: str, name: str = "searchsocket-weight") -> tuple[float, str]:
    """A weight in [0, 100] and a warning; 1.0 if the text is empty or not such a number."""
    if not text:
        return 1.0, ""
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if math.isfinite(weight) and 0 <= weight <= _MAX_WEIGHT:
        return weight, ""
    return 1.0, f"{name} {text[:40]!r} is not a number from 0 to {_MAX_WEIGHT:g}: ignored"


def parse_tags(texts: list[str]) -> tuple[str, ...]:
    """Comma-separated tags, each once, in the order written."""
    tags = (one_line(tag, 100) for text in texts for tag in text.split(","))
    return tuple(dict.fromkeys(filter(None, tags)))[:100]


def parse_language(text: str) -> str:
    """A language tag as written (`en`, `pt-BR`); "" if it is not one."""
    text = text.strip().replace("_", "-")
    return text if _LANGUAGE.fullmatch(text) and len(text) <= 35 else ""


def parse_version(text: str) -> str:
    """The documentation version of a page, the first if it names several; "" if the text is not a version."""
    version = text.partition(",")[0].strip()
    return version if "/" not in version and len(version) <= MAX_NAME_CHARS else ""


def _head_title(root: Element) -> str:
    """The first `<title>` of the document itself; an `svg` can have one too."""
    for title in root.iter("title"):
        parent = title.getparent()
        if parent is not None and parent.tag in {"head", "html", "body"}:
            text = one_line(raw_text(title), _TITLE_CHARS)
            if text:
                return text
    return ""


def _link(root: Element, rel: str) -> str:
    for link in root.iter("link"):
        if rel in (link.get("rel") or "").lower().split() and link.get("href"):
            return one_line(link.get("href") or "")
    return ""


def _alternates(root: Element) -> Iterator[tuple[str, str]]:
    """Yield `hreflang` and `href` of the links to translations of the page."""
    for link in root.iter("link"):
        language, href = link.get("hreflang"), link.get("href")
        if language and href and "alternate" in (link.get("rel") or "").lower().split():
            yield language, href
