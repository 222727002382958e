"""Extract one HTML page: metadata, links, and the Markdown of its main content (spec 8.3).

It includes the text of documents inside the page: shadow roots, frames with their own source, and drawings.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace
from importlib.metadata import version
from urllib.parse import unquote

from lxml import etree

from searchsocket.content.html.body import read_body
from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.decode import decode_html
from searchsocket.content.html.links import LinkResolver
from searchsocket.content.html.main_content import (
    BODY,
    choose_main,
    drop_excluded,
    is_list_page,
    mark_switches,
    weight_of,
)
from searchsocket.content.html.metadata import (
    Metadata,
    choose_title,
    home_link_name,
    is_numbered,
    parse_weight,
    read_metadata,
    strip_site,
)
from searchsocket.content.html.prune import JUNK, drop_feedback, settle_icon_cells
from searchsocket.content.html.rules import RULE
from searchsocket.content.html.settle import DESCRIPTION, settle_descriptions, settle_math
from searchsocket.content.html.suspense import mark_boundaries, settle_boundaries
from searchsocket.content.html.tree import (
    BLOCKS,
    HEADINGS,
    Element,
    html_of_xhtml,
    one_line,
    parse_html,
    replace_text,
    text_of,
    with_attribute,
)
from searchsocket.content.page_fields import fields_version, parse_date
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.text.facets import NO_FACETS, Facets
from searchsocket.web.languages import read_alternates
from searchsocket.web.robots_tags import page_rules
from searchsocket.web.urls.paths import is_xhtml
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
    ["19", *(f"{name}={version(name)}" for name in ("lxml", "markdown-it-py")), fields_version()]
)
_REFRESH = re.compile(r"\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
_SCRIPT = re.compile(
    r"^\s*(?:(?:window|document|self|top)\.)*location(?:\.href\s*=|\.(?:replace|assign)\s*\(|\s*=)\s*(['\"])([^'\"\\]+)\1"
    r"(?:\s*\+\s*(?:(?:window|document|self|top)\.)*location\.(?:hash|search))*\s*\)?\s*;?\s*$"
)
_MAX_DELAY_S = 10
_STUB_CHARS = 1000  # a page with more text is content, even if it redirects
_MAX_FRAMES = 100  # with `srcdoc`, of one page
_MAX_LABELS = 500  # of one drawing
_LABEL_CHARS = 200
_MEDIA = ("iframe", "video", "audio", "object", "embed")
MEDIA_TAGS = tuple(f"<{tag}" for tag in _MEDIA)
_PLAYER = re.compile(  # titles that say nothing about the content
    r"(?:[\w.]+ )?(?:video |audio |media )?(?:player|embed|widget|frame|iframe)|embedded (?:content|video|media)"
    r"|advertise?ments?|video|audio|youtube|vimeo|google (?:maps?|tag manager)|re ?captcha",
    re.IGNORECASE,
)
_ICON_PARENTS = HEADINGS | {"a", "button", "label", "summary", "pre", "code"}
_ICON_PIXELS = 48.0


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
    if is_xhtml(page.locator):
        text = html_of_xhtml(text)
    text = mark_boundaries(mark_switches(text))
    root, depth_warning = parse_html(text)
    warnings = [note for note in (warning, depth_warning) if note]
    if root is None:
        return ExtractedPage(title=page.url, body="", skip="empty", warnings=(*warnings, "the page is empty"))
    settle_boundaries(root, text)
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
    if "<td" in text:
        settle_icon_cells(root)
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


def settle_shadow_roots(root: Element) -> None:
    """Replace each host's content by its declarative shadow root, with the content in the slots."""
    for template in list(root.iter("template")):
        mode = template.get("shadowrootmode") or template.get("shadowroot") or ""
        host = template.getparent()
        if mode not in {"open", "closed"} or host is None:
            continue
        light = [child for child in host if child is not template]
        text, after = host.text, template.tail
        template.tail = None
        for child in light:
            host.remove(child)  # with the text after it
        host.text = None
        template.tag = "div"
        template.attrib.clear()
        _fill_slots(template, light, " ".join(filter(None, (text, after))))


def _fill_slots(shadow: Element, light: list[Element], text: str) -> None:
    for slot in list(shadow.iter("slot")):
        name = slot.get("name") or ""
        fill = [child for child in light if (child.get("slot") or "") == name]
        words = "" if name else text.strip()
        if fill or words:  # otherwise, the slot shows its own content
            del slot[:]
            slot.text = words or None
            slot.extend(fill)
            light = [child for child in light if child not in set(fill)]
            text = "" if not name else text
        slot.tag = "div" if any(child.tag in BLOCKS for child in fill) else "span"


def settle_media(root: Element) -> None:
    """Replace each frame with a `srcdoc` by the body of that document, and other media by an image with their title."""
    frames = list[Element]()
    for media in list(root.iter(*_MEDIA)):
        if media.tag == "iframe" and media.get("srcdoc"):
            frames.append(media)
            continue
        title = one_line(media.get("title") or media.get("aria-label") or "", _LABEL_CHARS)
        if title and not _PLAYER.fullmatch(title):
            replace_text(media, "img", "")
            media.attrib.pop("src", "")
            media.set("alt", title)
    for frame in frames[:_MAX_FRAMES]:
        document, _ = parse_html(frame.get("srcdoc") or "")
        body = None if document is None else next(document.iter("body"), None)
        if body is None:
            continue
        replace_text(frame, "div", body.text or "")
        frame.extend(list(body))


def settle_drawings(root: Element) -> None:
    """Replace each `svg` by its labels, or by an image with its title; icons are removed with other junk."""
    for svg in list(root.iter("svg")):
        if svg.getparent() is None or svg.get("aria-hidden") == "true":
            continue
        inside = next((parent for parent in svg.iterancestors("svg", *_ICON_PARENTS)), None)
        if inside is not None and inside.tag != "a":
            continue
        title = _title(svg)
        labels = [] if inside is not None else list(_labels(svg))
        if not labels and (not title or inside is not None or _is_icon(svg)):
            continue
        if labels:
            lines = ([title] if title and title not in labels else []) + labels
            replace_text(svg, "p", ", ".join(lines))
        else:
            replace_text(svg, "img", "")
            svg.set("alt", title)


def _title(svg: Element) -> str:
    own = (child for child in svg if child.tag in {"title", "desc"})
    texts = [svg.get("aria-label") or "", *(text_of(child) for child in own)]
    return one_line(". ".join(dict.fromkeys(filter(None, texts))), _LABEL_CHARS)


def _labels(svg: Element) -> Iterable[str]:
    """The texts of a drawing, each once, in the order of the file."""
    labels: dict[str, None] = {}
    for element in svg.iter("text", "foreignobject", "foreignObject"):
        if element.tag == "text":
            parts = [text_of(line) for line in element.iter("tspan") if len(line) == 0]
            label = " ".join(filter(None, parts)) if parts and not (element.text or "").strip() else text_of(element)
        else:
            label = " ".join(" ".join(map(str, element.itertext())).split())
        if any(map(str.isalpha, label)):
            labels[one_line(label, _LABEL_CHARS)] = None
        if len(labels) == _MAX_LABELS:
            break
    return labels


def _is_icon(svg: Element) -> bool:
    sizes = [svg.get("width"), svg.get("height"), *(svg.get("viewbox") or svg.get("viewBox") or "").split()[2:]]
    numbers = [float(size.removesuffix("px")) for size in sizes if size and size.removesuffix("px").isdecimal()]
    return "icon" in (svg.get("class") or "").lower() or bool(numbers and min(numbers) <= _ICON_PIXELS)
