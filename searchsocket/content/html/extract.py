"""Extract one HTML page: metadata, links, and the Markdown of its main content (spec 8.3)."""

import re
import time
from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from importlib.metadata import version
from urllib.parse import unquote

from lxml import etree

from searchsocket.content.html.body import read_body
from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.decode import decode_html
from searchsocket.content.html.embedded import MEDIA_TAGS, settle_drawings, settle_media, settle_shadow_roots
from searchsocket.content.html.links import LinkResolver
from searchsocket.content.html.main_content import choose_main
from searchsocket.content.html.metadata import (
    Metadata,
    choose_title,
    home_link_name,
    is_numbered,
    parse_weight,
    read_metadata,
    strip_site,
)
from searchsocket.content.html.parse import parse_html
from searchsocket.content.html.prune import JUNK, drop_feedback
from searchsocket.content.html.rules import RULE
from searchsocket.content.html.search_marks import BODY, drop_excluded, is_list_page, mark_switches, weight_of
from searchsocket.content.html.settle import DESCRIPTION, settle_descriptions, settle_math
from searchsocket.content.html.tree import HEADINGS, Element, text_of, with_attribute
from searchsocket.content.page_fields import fields_version, parse_date
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.text.facets import NO_FACETS, Facets
from searchsocket.web.languages.alternates import read_alternates
from searchsocket.web.robots_tags import page_rules
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase

MARKS = ("/edit/", "/blob/", "/_edit/", "/src/", "_sources/")  # a page without any of them has no edit link
_ADDRESS = re.compile(
    r"https?://[^/?#]+/[^?#]*?/(?P<kind>-/edit|-/blob|-/ide/[^?#]*?|edit|_edit|blob|src/branch|src)/(?P<path>[^?#]+)"
)
_SPHINX = re.compile(r"(?:^|/)(?P<path>_sources/[^?#]+)\.txt$")
_LABEL = re.compile(
    r"\b(?:edit|source|improve|suggest|view|bearbeiten|modifier|editar|modifica)|编辑|編集", re.IGNORECASE
)
_FILE = re.compile(r"\.[A-Za-z]{2,9}$")
# Part of the cache key: raise the number with every change of output; library versions are included.
EXTRACTOR_VERSION = " ".join(
    ["16", *(f"{name}={version(name)}" for name in ("lxml", "markdown-it-py")), fields_version()]
)
_REFRESH = re.compile(r"\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
_SCRIPT = re.compile(
    r"^\s*(?:(?:window|document|self|top)\.)*location(?:\.href\s*=|\.(?:replace|assign)\s*\(|\s*=)\s*(['\"])([^'\"\\]+)\1"
    r"(?:\s*\+\s*(?:(?:window|document|self|top)\.)*location\.(?:hash|search))*\s*\)?\s*;?\s*$"
)
_MAX_DELAY_S = 10
_STUB_CHARS = 1000  # a page with more text is content, even if it redirects


def edit_link(root: Element, text: str) -> str:
    """Return the branch and path of a page's edit link, such as `main/docs/install.md`; "" if there is none.

    A link to the copy of a source that Sphinx publishes is `_sources/install.rst`. If several links of the best kind
    name different files, the page itself is about files.

    Args:
        text: The page's HTML. Most pages have none of the addresses, and are not searched.
    """
    if not any(mark in text for mark in MARKS):
        return ""
    links = [*_links(root)]
    best = min((rank for rank, _ in links), default=0)
    paths = {path for rank, path in links if rank == best}
    return paths.pop() if len(paths) == 1 else ""


def _links(root: Element) -> Iterator[tuple[int, str]]:
    """Yield the rank and path of each link that may open the source of the page; the lowest rank is the likeliest."""
    for anchor in root.iter("a", "link"):
        href = (anchor.get("href") or "").strip()
        if match := _SPHINX.search(href):
            yield 2, unquote(match["path"])
        elif (match := _ADDRESS.match(href)) and _FILE.search(match["path"]):
            words = (anchor.get(name) or "" for name in ("title", "aria-label", "class", "rel"))
            is_labelled = bool(_LABEL.search(" ".join([text_of(anchor), *words])))
            if "edit" in match["kind"]:
                yield 0 if is_labelled else 1, unquote(match["path"])
            elif is_labelled:
                yield 1, unquote(match["path"])


def extract_html(
    data: bytes,
    page: RawPage,
    extract: ExtractSettings,
    transform: TransformSettings,
    *,
    site: SiteBase = AT_ROOT,
    charset: str = "",
    converter: Converter = FAST,
    facets: Facets = NO_FACETS,
    now_s: Callable[[], float] = time.time,
) -> ExtractedPage:
    """Read one page; broken markup is read as well as possible.

    Args:
        data: The page's bytes.
        site: Where the site is served; links to it are internal.
        charset: What the transport declared, or "".
        facets: Additional meta names to read.
        now_s: Seconds since 1970, for `unavailable_after` of a robots meta.

    Returns:
        The page; `skip` is the reason not to index it: redirect, noindex, list or empty.

    Raises:
        ConfigError: A configured selector is not CSS.
    """
    text, warning = decode_html(data, charset)
    text = mark_switches(text)
    root, depth_warning = parse_html(text)
    warnings = [note for note in (warning, depth_warning) if note]
    if root is None:
        return ExtractedPage(title=page.url, body="", skip="empty", warnings=(*warnings, "the page is empty"))
    meta = read_metadata(root, facets)
    resolver = LinkResolver(page.served_url, base_href=meta.base_href, site=site)
    own = {page.url, page.address and resolver.path(page.address), f"/{page.locator.lstrip('/')}"}
    target = find_redirect(root, resolver, own)
    if target is not None:
        return ExtractedPage(title=meta.head_title or page.url, body="", skip="redirect", redirect_to=target)
    if _is_noindex(root, meta, extract, now_s()):
        return ExtractedPage(title=meta.head_title or page.url, body="", skip="noindex")
    if is_list_page(meta.docusaurus_tag):
        return ExtractedPage(title=meta.head_title or page.url, body="", skip="list")
    edited = edit_link(root, text)
    if not meta.site_name and _is_named_by_title(root):
        # Then the site's own name decides which half of a title is the page's.
        name = home_link_name(root, meta.head_title, lambda href: resolver.path(href) == "/")
        meta = replace(meta, site_name=name)
    if DESCRIPTION in text:
        settle_descriptions(root)
    if _has_math(root, text):
        settle_math(root)
    if "shadowroot" in text:
        settle_shadow_roots(root)
    if any(tag in text for tag in MEDIA_TAGS):
        settle_media(root)
    if "<svg" in text:
        settle_drawings(root)
    drop_excluded(root, text)
    drop_feedback(root, text)
    warnings += meta.warnings
    read = _read_main(root, meta, resolver, page, extract, transform, converter, warnings, marked=BODY in text)
    return replace(read, edit_link=edited) if edited else read


def _read_main(
    root: Element,
    meta: Metadata,
    resolver: LinkResolver,
    page: RawPage,
    extract: ExtractSettings,
    transform: TransformSettings,
    converter: Converter,
    warnings: list[str],
    *,
    marked: bool,
) -> ExtractedPage:
    weight = meta.weight
    if weight is None:
        weight, warning = parse_weight(weight_of(root), "data-pagefind-weight")
        warnings.extend(filter(None, [warning]))
    etree.strip_elements(root, *JUNK, with_tail=False)
    main, how = choose_main(root, extract.main_selector, marked=marked)
    body = read_body(main, how, resolver, extract, transform, converter)
    title = choose_title(meta, body.h1, body.first_heading, page.url)
    head = strip_site(meta.head_title, meta.site_name, body.h1)
    is_by_h1 = page.url != "/" and body.h1 and title in (body.h1, head) and head not in ("", body.h1)
    return ExtractedPage(
        title=title,
        heading=body.h1 if is_by_h1 else "",
        head_title=head if is_by_h1 else meta.head_title,
        body=_without_outer_rules(body.markdown),
        description=meta.description,
        language=meta.language,
        canonical=meta.canonical,
        version=meta.version,
        alternates=read_alternates(meta.alternates, page.url, page.served_url),
        tags=meta.tags,
        facets=meta.facets,
        weight=weight,
        **{**meta.fields, "published": meta.fields["published"] or parse_date(body.only_date)},
        links=body.links,
        main=how,
        skip="" if body.markdown else "empty",
        warnings=(*warnings, *body.warnings),
    )


def _without_outer_rules(markdown: str) -> str:
    """Remove thematic breaks at both ends, which only part the text from navigation."""
    while markdown.startswith(f"{RULE}\n\n"):
        markdown = markdown[len(RULE) :].lstrip("\n")
    while markdown.endswith(f"\n\n{RULE}"):
        markdown = markdown[: -len(RULE)].rstrip("\n")
    return markdown


def _is_named_by_title(root: Element) -> bool:
    """Return True if the page has no heading, or only the heading of a section."""
    heading = next(root.iter(*HEADINGS), None)
    return heading is None or is_numbered(text_of(next(root.iter("h1"), heading)))


def _has_math(root: Element, text: str) -> bool:
    # Looking for the tags is faster than searching the text of a long page.
    if next(root.iter("math", "m:math"), None) is not None or "MathJax" in text:
        return True
    return any((script.get("type") or "").startswith("math/tex") for script in root.iter("script"))


def _is_noindex(root: Element, meta: Metadata, extract: ExtractSettings, now_s: float) -> bool:
    if not page_rules(meta.robots, now_s).is_indexable and extract.respect_robots_noindex:
        return True
    attribute = extract.noindex_attr
    return bool(attribute) and bool(with_attribute(root, attribute.lower()))


def find_redirect(root: Element, resolver: LinkResolver, own: Set[str | None]) -> str | None:
    """Return the target of a redirect stub.

    Args:
        own: The paths of the page itself: a page that reloads itself is not a redirect.

    Returns:
        A path on this site, an http(s) address elsewhere, "" for a target that must not be followed (`javascript:`),
        or None when the page is not a redirect.
    """
    target = _refresh_target(root)
    if target is None:
        target = _script_target(root)
    if target is None:
        return None
    path = resolver.path(target)
    if path is None:
        return resolver.external(target)
    return None if path in own else path


def _refresh_target(root: Element) -> str | None:
    for meta in root.iter("meta"):
        if (meta.get("http-equiv") or "").strip().lower() != "refresh":
            continue
        if next(meta.iterancestors("noscript"), None) is not None:
            continue  # readers with scripts stay on the page
        match = _REFRESH.fullmatch(meta.get("content") or "")
        if match is None or len(match[1]) > 4 or int(match[1]) > _MAX_DELAY_S:
            continue
        target = match[2].strip()
        if target[:1] in {"'", '"'}:
            target = target[1:].split(target[0])[0]
        if target and _visible_chars(root) <= _STUB_CHARS:
            return target
    return None


def _script_target(root: Element) -> str | None:
    """Return the target of `<script>location.href = "..."</script>` on a page without text."""
    scripts = [script.text or "" for script in root.iter("script") if not script.get("src")]
    if len(scripts) != 1 or _visible_chars(root) > 100:
        return None
    match = _SCRIPT.match(scripts[0])
    return match[2] if match else None


def _visible_chars(root: Element) -> int:
    hidden = {"script", "style", "title", "noscript"}
    return sum(len((element.text or "").strip()) * (element.tag not in hidden) + len((element.tail or "").strip())
               for element in root.iter())  # fmt: skip
