"""Reduce the main content to what a reader reads, before the conversion (spec 8.3).

The conversion to Markdown is the main cost of a page, so it must not visit elements that are dropped anyway.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import cast

from lxml import etree

from searchsocket.content.html.code import is_line_number_table, prepare_code
from searchsocket.content.html.links import is_return, mark_anchor
from searchsocket.content.html.main_content import DropRules, drop_rules
from searchsocket.content.html.opened import OPENED, PANEL
from searchsocket.content.html.tables import prepare_table
from searchsocket.content.html.tree import (
    BLOCKS,
    HEADINGS,
    Element,
    classes,
    drop,
    elements_of,
    link_share,
    one_line,
    raw_text,
    sweep,
    text_of,
)
from searchsocket.project.settings.site import ExtractSettings, TransformSettings

_WORDS = ("helpful", "useful", "hilfreich", "utile", "útil", "nuttig")
_ASKING = etree.XPath("descendant::*[text()[" + " or ".join(f'contains(., "{word}")' for word in _WORDS) + "]]")
_PAGE = frozenset({"main", "article", "body"})
_QUESTION = re.compile(
    r"[^.?!]{0,40}\b(?:this|page|article|section|content|information|diese\w?|seite|artikel|cette|este|esta|questa"
    rf"|deze)\b[^.?!]{{0,40}}\b(?:{'|'.join(_WORDS)})\s*\?"
    r"(?:\b(?:yes|no|ja|nein|nee|oui|non|s[ií]|sim|n[ãa]o|thanks?|thank you|for|your|feedback|submit)\b|[\W\d_])*",
    re.IGNORECASE,
)
# Never content, regardless of settings. Removing `svg` also removes its `<title>`.
JUNK = (
    "script", "style", "template", "noscript", "svg", "iframe", "frame", "object", "embed", "applet", "canvas",
    "audio", "video", "map", "head", "link", "meta", "base", "datalist", "select", "textarea", "progress", "meter",
    "portal", "dialog",
)  # fmt: skip
_NAVIGATION_ROLES = frozenset({"navigation", "search", "menu", "menubar", "tablist", "toolbar", "tooltip", "doc-toc"})
_OVERLAY_ROLES = frozenset({"dialog", "alertdialog"})
_JUDGED = frozenset({"header", "nav", "footer", "aside"})  # `drop_tags` drops these only if they are not content
_CONTROLS = frozenset({"button", "input", "label", "option", "form", "fieldset", "legend"})
# The tags that the walk handles, regardless of attributes.
_SETTLED = HEADINGS | _JUDGED | _CONTROLS | {"span", "pre", "table", "ul", "ol", "div"}
_CHROME_ROLES = {"banner": "header", "contentinfo": "footer", "complementary": "aside", "navigation": "nav"}
# Left by generators around the text: previous/next bars, language lists, copy helpers, footnote returns.
_NOISE_CLASSES = frozenset({
    "navheader", "navfooter", "sphinxsidebar", "toplang", "bottomlang", "indexterm", "footnote-back",
    "footnote-backref", "reversefootnote", "copybtn", "nosearch", "out-of-band", "srclink", "rightside", "hideme",
    "test-arrow", "viewcode-link", "theme-doc-version-badge", "theme-doc-version-banner",
    "mw-editsection", "mw-jump-link", "bd-header-article", "bd-sidebar-secondary", "onlyprint", "tsd-breadcrumb",
})  # fmt: skip
# Text for screen readers only, and icons drawn by a font from their name.
_UNREAD_CLASS = re.compile(
    r"(?:\S*-)?(?:sr-only|visually-?hidden|screen-reader-text)|material-(?:icons|symbols)(?:-\w+)*"
)
_HEADING_TAGS = frozenset({"div", "p", "span", "strong", "b", "dt"})  # that `role=heading` turns into headings
_CONTROL_ROLES = frozenset({"doc-backlink", "button", "checkbox", "switch", "slider", "combobox", "listbox", "option"})
# On a page without a main element, header, footer and sidebar are recognised by id or class.
_FRAME_NAMES = frozenset({
    "header", "footer", "page-header", "page-footer", "site-header", "site-footer", "path", "breadcrumbs", "sidebar",
    "side-bar", "navbar", "nav", "navigation", "menu", "mainmenu", "topnav", "skip-link", "masthead",
})  # fmt: skip
_CONSENT_NAMES = frozenset({
    "cookie-banner", "cookie-bar", "cookie-consent", "cookie-notice", "cookieconsent", "cookie-law-info-bar",
    "onetrust-consent-sdk", "cybotcookiebotdialog", "cc-window", "consent-banner", "gdpr-banner",
})  # fmt: skip
_FRAME_SHARE = 0.4  # of the page's text; an element with more is content
_PAGER = re.compile(r"(?:[←‹«<]|prev(?:ious)?\b).*|next\b.*|.*[→›»]", re.IGNORECASE)
# Links to another part of the page, and addresses at which a visitor shares it.
_SKIP = re.compile(
    r"(?:jump|skip|go) to (?:the )?(?:main )?(?:comments?|content|navigation|search|footer|menu)", re.IGNORECASE
)
_SHARE = re.compile(
    r"mailto:\?|https?://(?:[\w-]+\.)*(?:facebook\.com/(?:sharer|share)|"
    r"(?:twitter|x|bsky)\.(?:com|app)/(?:intent|share)|linkedin\.com/(?:shareArticle|sharing|cws/share)|reddit\.com/submit|"
    r"pinterest\.\w+/pin/create|t\.me/share|wa\.me/\?text|api\.whatsapp\.com/send|news\.ycombinator\.com/submitlink|"
    r"tumblr\.com/(?:widgets/)?share|vk\.com/share|getpocket\.com/(?:save|edit)|threads\.net/intent)",
    re.IGNORECASE,
)
_RELATIONS = frozenset(
    {"next", "prev", "previous", "up", "start", "first", "last", "contents", "index", "help", "glossary"}
)
_LABEL_CHARS = 60
_INVISIBLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01]\D)",
    re.IGNORECASE,
)
_SECTIONS = frozenset({"article", "section", "main", "blockquote"})
_LINK_SHARE = 0.5  # of an aside's or header's text; above it is a list of links


def drop_feedback(root: Element, text: str) -> None:
    """Drop each question whether this page is helpful, with its answers.

    Args:
        text: The page's HTML. Most pages have none of the words, and are not searched.
    """
    for element in elements_of(_ASKING, root) if any(word in text for word in _WORDS) else ():
        asking = None
        if any(parent.tag in ("pre", "code") for parent in (element, *element.iterancestors())):
            continue  # an example
        while element.tag not in _PAGE and _QUESTION.fullmatch(text_of(element)):
            asking = element
            parent = element.getparent()
            if parent is None:
                break
            element = parent
        if asking is not None and asking.getparent() is not None:
            drop(asking)


_FRAME_NAMES |= _CONSENT_NAMES


def prune(main: Element, how: str, extract: ExtractSettings, transform: TransformSettings) -> None:
    """Drop everything that is not content; on the way, normalise headings, code blocks, tables and lists."""
    etree.strip_elements(main, *JUNK, with_tail=False)
    rules = drop_rules(extract.drop_selectors)
    walk = _Walk(
        rules,
        rules.matched_by_path(main),
        extract,
        transform,
        chrome=how == "body",
        chars=len(text_of(main)) if how == "body" else 0,
    )
    _drop_pagers(main)
    stack = [main]
    while stack:
        stack.extend(child for child in list(stack.pop()) if walk.keeps(child) and len(child))
    sweep(main)


class _Walk:
    """Decisions of one walk; each element is decided before its children are visited."""

    def __init__(
        self,
        rules: DropRules,
        matched: set[Element],
        extract: ExtractSettings,
        transform: TransformSettings,
        *,
        chrome: bool,
        chars: int,
    ) -> None:
        self._rules, self._matched = rules, matched
        self._transform = transform
        # HTML names are case-insensitive; the parser returns them in lower case.
        self._tags = frozenset(tag.lower() for tag in extract.drop_tags)
        self._always = self._tags - _JUDGED
        self._ignore = extract.ignore_attr.lower()
        self._chars = chars
        self._chrome = chrome  # the whole body is the content: then header and footer belong to the site

    def keeps(self, element: Element) -> bool:
        """Normalise one element; return True if its children still need a visit."""
        tag = str(element.tag)
        attributes = cast("dict[str, str]", dict(element.items()))  # the parser returns no bytes
        if tag in self._always or (attributes and self._is_dropped(element, attributes)):
            drop(element)
            return False
        role = attributes.get("role") or ""
        if role == "heading" and tag in _HEADING_TAGS:
            tag = element.tag = _heading_tag(attributes.get("aria-level", ""))
        if tag not in _SETTLED and role not in _CHROME_ROLES:
            return True
        if tag == "span":
            _part(element)
            return True
        if tag in HEADINGS:
            mark_anchor(element)
            return True
        if tag == "pre":
            prepare_code(element, keep=self._transform.preserve_code_blocks)
            return False
        if tag in _JUDGED or role in _CHROME_ROLES:
            if self._is_chrome(element, _CHROME_ROLES.get(role, tag)):
                drop(element)
                return False
            return True
        return self._prepare(element)

    def _is_dropped(self, element: Element, attributes: Mapping[str, str]) -> bool:
        if self._ignore and self._ignore in attributes:
            return True
        if element in self._matched:
            return not _is_whole_heading(element)
        names = attributes.get("class")
        if names is not None and (_is_noise(names) or not self._rules.class_names.isdisjoint(names.split())):
            return not _is_whole_heading(element)
        role = attributes.get("role")
        if role is not None and role in _NAVIGATION_ROLES:
            return role != "navigation" or "nav" in self._tags
        if role is not None and role in _CONTROL_ROLES and "href" not in attributes:
            return not any(True for _ in element.iter(*HEADINGS)) and not _in_heading(element)
        if role in _OVERLAY_ROLES:
            return OPENED not in attributes
        if _is_hidden(attributes):
            return not _repeats_label(element)
        if element.tag == "a" and attributes.get("href", "")[:1] == "#" and is_return(element):
            return True
        return self._chrome and self._is_frame(element, attributes)

    def _is_frame(self, element: Element, attributes: Mapping[str, str]) -> bool:
        names = {attributes.get("id", "").lower(), *attributes.get("class", "").lower().split()}
        if _FRAME_NAMES.isdisjoint(names) or element.tag in {"body", *HEADINGS}:
            return False
        if not _CONSENT_NAMES.isdisjoint(names):
            return True
        return len(text_of(element)) < _FRAME_SHARE * self._chars

    def _is_chrome(self, element: Element, kind: str) -> bool:
        """Return True if a header, nav, footer or aside is dropped: always outside the content, inside by its text."""
        if kind not in self._tags:
            return False
        if kind == "nav":
            return True
        parents = [str(parent.tag) for parent in element.iterancestors()]
        if self._chrome and _SECTIONS.isdisjoint(parents):
            return True
        if kind == "footer":
            return "blockquote" not in parents  # there it cites the source
        if kind == "header" and any(child.tag in HEADINGS for child in element.iter()):
            return False
        return link_share(element) > _LINK_SHARE

    def _prepare(self, element: Element) -> bool:
        tag = element.tag
        if tag in _CONTROLS:
            return _settle_control(element)
        if tag == "table":
            if is_line_number_table(element):
                return True
            prepare_table(element)
        elif tag in {"ul", "ol"}:
            if _is_contents_list(element):
                _drop_contents_list(element)
                return False
            _number(element)
        elif tag == "div" and not element.get("role") and len(element) == 0 and not (element.text or "").strip():
            if element.get("id") is None:
                drop(element)
            return False
        return True


def settle_icon_cells(root: Element) -> None:
    """Write the accessible name of an icon that is all that a cell of a table shows: "Supported"."""
    for cell in root.iter("td", "th"):
        elements = list(cell.iterdescendants(etree.Element))
        if not elements or any(element.tag in {"img", "table", "input"} for element in elements):
            continue
        unread = [element for element in elements if element.tag == "title" or _is_unread(classes(element))]
        if "".join(raw_text(cell).split()) != "".join("".join(map(raw_text, unread)).split()):
            continue
        spoken = [text_of(element) for element in unread if not _is_silent(element)]
        named = [
            element.get("aria-label") or element.get("title")
            for element in (cell, *elements)
            if element not in unread and not _is_silent(element)
        ]
        name = next(filter(None, [*named, *spoken]), "")
        if name:
            del cell[:]
            cell.text = one_line(name, _LABEL_CHARS)


def _is_silent(element: Element) -> bool:
    return any(parent.get("aria-hidden") == "true" for parent in (element, *element.iterancestors()))


@lru_cache(maxsize=1 << 12)  # few values, many elements
def _is_noise(class_names: str) -> bool:
    tokens = class_names.split()
    return not _NOISE_CLASSES.isdisjoint(tokens) or _is_unread(tokens)


def _is_unread(class_names: Iterable[str]) -> bool:
    return any(_UNREAD_CLASS.fullmatch(name) and not name.endswith("not-sr-only") for name in class_names)


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    if "popover" in attributes:
        return True
    style = attributes.get("style")
    if (
        attributes.get("aria-hidden") != "true"
        and attributes.get("hidden") in {None, "until-found"}
        and not (style and _INVISIBLE.search(style))
    ):
        return False
    # A reader opens these: tabs, answers behind buttons, and accordions as the ARIA guide builds them.
    role = attributes.get("role")
    if OPENED in attributes or role == "tabpanel" or (role == "region" and attributes.get("aria-labelledby")):
        return False
    return not PANEL.search(attributes.get("class", ""))


def _repeats_label(element: Element) -> bool:
    """Return True for a title that a screen reader gets as the label of the element around it, such as a note."""
    parent = element.getparent()
    label = (parent.get("aria-label") or "") if parent is not None else ""
    return bool(label) and label.casefold() == text_of(element).casefold()


def _heading_tag(level: str) -> str:
    return f"h{level}" if level in {"1", "2", "3", "4", "5", "6"} else "h2" if not level.isdecimal() else "h6"


def _is_whole_heading(element: Element) -> bool:
    """Return True for a permalink that wraps the heading's whole text, unlike the small sign beside it."""
    parent = element.getparent()
    if element.tag != "a" or parent is None or parent.tag not in HEADINGS:
        return False
    text = text_of(element)
    return len(text) > 1 and text == text_of(parent)


def _settle_control(element: Element) -> bool:
    tag = element.tag
    if tag == "input" and (element.get("type") or "").lower() == "checkbox":
        item = next((parent for parent in element.iterancestors() if parent.tag in BLOCKS | {"label"}), None)
        if item is not None and item.tag == "label":
            item = next((parent for parent in item.iterancestors() if parent.tag in BLOCKS), None)
        while item is not None and item.tag in {"p", "div"}:
            item = item.getparent()
        if item is not None and item.tag == "li" and item.get("data-ss-task") is None:
            item.set("data-ss-task", "x" if element.get("checked") is not None else " ")
    if tag == "button" and (_in_heading(element) or _in_sentence(element)):
        return _open(element)  # the title of an accordion, or the name of a button in a sentence about it
    if tag == "label" and any(parent.tag == "li" for parent in element.iterancestors()):
        return _open(element)  # of a task
    if tag in {"form", "fieldset"} and any(child.tag in {"p", "pre", *HEADINGS} for child in element.iter()):
        element.tag = "div"  # a form around a whole page
        return True
    drop(element)
    return False


def _in_heading(control: Element) -> bool:
    """Return True if a control is the whole text of a heading or summary."""
    title = next(
        (parent for parent in control.iterancestors() if parent.tag in HEADINGS or parent.tag == "summary"), None
    )
    return title is not None and text_of(title) == text_of(control)


def _in_sentence(button: Element) -> bool:
    """Return True if a button is a word of the sentence around it: there is text before it and after it."""
    parent, previous = button.getparent(), button.getprevious()
    if parent is None or parent.tag in HEADINGS or not any(map(str.isalnum, text_of(button))):
        return False
    before = (parent.text if previous is None else previous.tail or text_of(previous)) or ""
    return any(map(str.isalnum, before)) and bool((button.tail or "").strip())


def _open(element: Element) -> bool:
    element.tag = "span"
    return True


def _is_contents_list(element: Element) -> bool:
    """Return True for a list of only links into this page, which repeats the headings."""
    anchors = list(element.iter("a"))
    if len(anchors) < 3 or not all((anchor.get("href") or "").startswith("#") for anchor in anchors):
        return False
    return link_share(element) > 0.85


def _drop_contents_list(element: Element) -> None:
    """Drop a table of contents, and the heading above it if that has no other content."""
    before, after = element.getprevious(), element.getnext()
    alone = after is None or after.tag in HEADINGS
    if (
        before is not None
        and (before.tag in HEADINGS or before.tag == "summary")
        and alone
        and not (element.tail or "").strip()
    ):
        drop(before)
    drop(element)


def _drop_pagers(main: Element) -> None:
    """Drop links to the previous and next page if they are alone in their parent, and those to share the page."""
    for anchor in list(main.iter("a")):
        href = anchor.get("href") or ""
        is_skip = href.startswith("#") and _SKIP.fullmatch(text_of(anchor))
        if is_skip or (_SHARE.match(href) and not _in_sentence(anchor)):
            drop(anchor)
            continue
        if not _is_pager(anchor):
            continue
        parent = anchor.getparent()
        if parent is not None and _leads_around(parent):
            drop(parent)
            continue
        if parent is None or parent.tag not in {"div", "p", "footer", "section"} or len(parent) > 2:
            continue
        links = [child for child in parent if child.tag == "a"]
        link_chars = sum(len(text_of(link)) for link in links)
        if len(text_of(parent)) > link_chars + len(links) or link_chars > 2 * _LABEL_CHARS:
            continue
        if all(map(_is_pager, links)):
            drop(parent)


def _leads_around(element: Element) -> bool:
    """Return True if all links of a line say by `rel` that they lead to pages around this one: `Next: …, Up: …`."""
    relations = [link.get("rel") or "" for link in element.iter("a")] if element.tag in {"p", "div"} else []
    return len(relations) > 1 and all(relation in _RELATIONS for relation in relations)


def _is_pager(link: Element) -> bool:
    return _PAGER.fullmatch(text_of(link)) is not None or link.get("rel") in {"prev", "next"}


def _number(element: Element) -> None:
    """Store each item's number as an attribute; `start` may have any value."""
    if element.tag == "ul":
        return
    start = (element.get("start") or "1").strip()
    number = int(start) if start.isdecimal() and len(start) < 9 else 1
    for item in element.iterchildren("li"):
        value = (item.get("value") or "").strip()
        number = int(value) if value.isdecimal() and len(value) < 9 else number
        item.set("data-ss-number", str(number))
        number += 1


def _part(span: Element) -> None:
    """Put a space between two adjacent labels, which only a style sheet separates."""
    following = span.getnext()
    if len(span) == 0 and not span.text and not {"sep", "separator"}.isdisjoint(classes(span)):
        span.text = " "  # drawn by a style sheet
        return
    if span.tail or following is None or following.tag != "span":
        return
    left, right = raw_text(span), raw_text(following)
    if len(left) > 1 and len(right) > 1 and left[-1].isalnum() and right[0].isalnum():
        span.tail = " "
