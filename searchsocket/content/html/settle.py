"""Last normalising steps before conversion: images, math, blocks in links, and a size limit."""

import re
from collections.abc import Collection

from lxml import etree

from searchsocket.content.html.code import prepare_code
from searchsocket.content.html.links import LinkResolver, is_permalink
from searchsocket.content.html.mathml import math_text
from searchsocket.content.html.tree import (
    BLOCKS,
    HEADINGS,
    Element,
    classes,
    drop,
    embolden,
    one_line,
    raw_text,
    replace_text,
    sweep,
    text_of,
    unwrap,
)

DESCRIPTION = "data-search-description"
# Style without meaning for a reader of text.
_PLAIN_INLINE = (
    "span", "font", "big", "small", "u", "ins", "mark", "abbr", "acronym", "cite", "dfn", "var", "time", "data", "bdi",
    "bdo", "wbr", "nobr", "picture", "source", "track", "label", "rb", "rtc", "noindex", "blink", "marquee", "param",
)  # fmt: skip
_RUBY_PARTS = ("rb", "rbc", "rt", "rtc", "rp")
_AS_DIV = ("main", "header", "footer", "aside", "figure", "hgroup", "center", "address", "details", "body", "html",
           "fieldset", "nav", "search", "form", "menu", "dir")  # fmt: skip
_GENERIC = re.compile(
    r"(?:image|img|picture|photo|screenshot|screen shot|logo|icon|avatar|thumbnail|banner|figure|graphic|spacer|"
    r"placeholder|top|up|back|next|prev|previous|home|arrow|diagram|illustration|alt|alt text|untitled|null|undefined|"
    r"todo)(?:\s*\d+)?"
    r"|[\w.% -]*\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)",
    re.IGNORECASE,
)
_PARENTS = {
    "td": {"tr"},
    "th": {"tr"},
    "tr": {"table", "thead", "tbody", "tfoot"},
    "thead": {"table"},
    "tbody": {"table"},
    "tfoot": {"table"},
    "caption": {"table"},
}
_MAX_DEPTH = 60  # of the converted tree: the conversion recurses
_MAX_ELEMENTS = 60_000
_ALT_CHARS = 500
_SOURCES = ("src", "data-src", "data-original", "data-lazy-src")  # the last three until a script loads the image
_EXPANSION_CHARS = 100


def settle_descriptions(root: Element) -> None:
    """Replace an element with an explicit search description by an image with that text."""
    for element in list(root.iter()):
        if element.tag == "img" or element.getparent() is None or element.get(DESCRIPTION) is None:
            continue
        text = one_line(element.get(DESCRIPTION) or "", _ALT_CHARS)
        replace_text(element, "img", "")
        element.set(DESCRIPTION, text)


def settle_math(root: Element) -> None:
    """Replace each rendered formula by its TeX, once (MathJax and KaTeX contain it two or three times)."""
    for script in list(root.iter("script")):
        kind = script.get("type") or ""
        if kind.startswith("math/tex"):
            _as_math(script, script.text or "", display="mode=display" in kind)
    for element in list(root.iter("span", "div")):
        names = classes(element)
        if not {"MathJax", "MathJax_Preview", "MathJax_Display", "MathJax_SVG_Display"}.isdisjoint(names):
            drop(element)
    for math in list(root.iter("math")):
        if math.getparent() is None:
            continue
        tex = next(
            (note.text for note in math.iter("annotation") if "tex" in (note.get("encoding") or "").lower()), None
        )
        if tex is None:
            tex = math.get("alttext") or math_text(math)
        display = math.get("display") == "block"
        holder = math
        for parent in math.iterancestors():
            names = classes(parent)
            if "katex-display" in names:
                display = True
            if parent.tag == "mjx-container" or {"katex", "katex-display", "mwe-math-element"} & set(names):
                holder = parent
            elif parent.tag in BLOCKS:
                break
        _as_math(holder, tex, display=display)


def settle_blocks(main: Element, resolver: LinkResolver, custom: Collection[str] = ()) -> None:
    """Give every element a form that Markdown has, except those that the site converts itself."""
    for anchor in list(main.iter("a")):
        if "#" in (anchor.get("href") or "") and is_permalink(anchor):
            drop(anchor)
        elif anchor.get("role") == "doc-noteref" or _is_footnote(anchor):
            _settle_note(anchor)
        elif any(child.tag in BLOCKS for child in anchor.iterdescendants()):
            _settle_card(anchor)
    for image in list(main.iter("img")):
        _settle_image(image, resolver)
    for summary in list(main.iter("summary")):
        if not any(child.tag in HEADINGS for child in summary.iter()):
            embolden(summary)
        summary.tag = "p" if not any(child.tag in BLOCKS for child in summary.iterdescendants()) else "div"
    for code in list(main.iter("code", "tt")):
        if next(code.iter("br"), None) is not None:
            _settle_lines(code)
    _repair_nesting(main)
    for listing in list(main.iter("ul")):
        if len(listing) and all(item.tag == "li" and _begins_with_heading(item) for item in listing):
            for part in (listing, *listing):  # sections, as in Javadoc: a heading in a list is no place to open
                part.tag = "div"
    _expand_abbreviations(main)
    for ruby in main.iter("ruby"):
        _settle_ruby(ruby)
    for old in list(main.iter("tt")):
        old.tag = "code"
    for element in list(main.iter()):
        tag = str(element.tag)
        if ("-" in tag and tag not in custom) or ":" in tag:
            element.tag = "div" if any(child.tag in BLOCKS for child in element) else "span"
    sweep(main)
    for element in main.iter(*_AS_DIV):
        element.tag = "div"
    etree.strip_tags(main, *_PLAIN_INLINE, "ruby", *_RUBY_PARTS)
    _join_alike(main)
    for item in list(main.iter("dd")):
        if (
            any(child.tag in BLOCKS and child.tag != "p" for child in item)
            or sum(child.tag == "p" for child in item) > 1
        ):
            item.tag = "div"


def _settle_ruby(ruby: Element) -> None:
    """Put the readings behind the word, which so stays in one piece: `漢字(かんじ)`."""
    for part in list(ruby.iter(*_RUBY_PARTS)):  # their end tags may be left out, and the parser then nests them
        while (outer := part.getparent()) is not None and outer.tag in ("rb", "rt", "rp"):
            outer.addnext(part)
    for part in list(ruby.iter("rp")):
        drop(part)
    readings = list(ruby.iter("rt"))
    text = "".join(str(text) for reading in readings for text in reading.itertext()).strip()
    for reading in readings:
        before = reading.getprevious()
        if before is not None and not (before.tail or "").strip():
            before.tail = None
        if not (reading.tail or "").strip():
            reading.tail = None
        drop(reading)
    if text:
        etree.SubElement(ruby, "rt").text = f"({text})"


def limit_size(main: Element) -> str:
    """Flatten a tree that is too deep or too large to convert; return a warning, or ""."""
    warning = ""
    count = sum(1 for _ in main.iter())
    if count > _MAX_ELEMENTS:
        etree.strip_tags(main, "a", "em", "i", "strong", "b", "code", "kbd", "samp", "sup", "sub", "s", "del", "q")
        warning = f"{count} elements: links and emphasis left out"
        if sum(1 for _ in main.iter()) > _MAX_ELEMENTS:
            _keep_text(main)
            return f"{count} elements: only the text was kept"
    level, deepest = [main], 0
    while level and deepest < _MAX_DEPTH:
        level = [child for element in level for child in element]
        deepest += 1
    for element in level:
        if len(element):
            warning = "nested too deeply: the innermost tags were ignored"
            _keep_text(element)
    return warning


def _join_alike(main: Element) -> None:
    """Join equal inline elements without text between them, whose Markdown would be read as one; part keys."""
    for element in list(main.iter("strong", "b", "em", "i", "code", "del", "s", "kbd")):
        following = element.getnext()
        while following is not None and following.tag == element.tag and not element.tail:
            if element.tag == "kbd" or element.get("class") != following.get("class"):
                element.tail = " "
                break
            if len(element):
                element[-1].tail = (element[-1].tail or "") + (following.text or "")
            else:
                element.text = (element.text or "") + (following.text or "")
            element.extend(list(following))
            element.tail = following.tail
            following.tail = None
            following.getparent().remove(following)  # type: ignore[union-attr]  # a sibling
            following = element.getnext()


def _begins_with_heading(item: Element) -> bool:
    """Return True for a section in an item of a list, unless its heading links to another page: a list of pages."""
    first = item
    while not (first.text or "").strip() and len(first):
        first = first[0]
        if first.tag in HEADINGS:
            leads_away = any((link.get("href") or "#")[0] != "#" for link in first.iter("a"))
            return not leads_away and 0 < len(text_of(first)) < len(text_of(item))
    return False


def _expand_abbreviations(main: Element) -> None:
    """Write the long form of an abbreviation behind its first occurrence: `TLS (Transport Layer Security)`."""
    written: set[str] = set()
    for element in main.iter("abbr", "acronym"):
        title = one_line(element.get("title") or "")
        if not any(map(str.isalpha, title)) or len(title) > _EXPANSION_CHARS or title in written:
            continue
        inside = {str(parent.tag) for parent in element.iterancestors()}
        if inside & (HEADINGS | {"pre", "code"}) or title.casefold() in text_of(element).casefold():
            continue
        written.add(title)
        element.tail = f" ({title}){element.tail or ''}"


def _repair_nesting(main: Element) -> None:
    """Move parts of tables and lists out of invalid places, which the parser permits."""
    for part in main.iter(*_PARENTS):
        parent = part.getparent()
        if part is main or parent is None or parent.tag not in _PARENTS[str(part.tag)]:
            part.tag = "div"
    for inner in list(main.iter("ul", "ol")):
        item = inner.getprevious()
        if item is not None and item.tag == "li":  # a list between the items belongs to the one before it
            item.append(inner)
    for term in list(main.iter("dt")):
        parent = term.getparent()
        if parent is not None and parent.tag == "dt":
            parent.addnext(term)


def _settle_lines(code: Element) -> None:
    """Turn `<p><code>a<br>b</code></p>` into a code block of two lines."""
    parent = code.getparent()
    if parent is None or parent.tag not in {"p", "div"} or len(text_of(parent)) != len(text_of(code)):
        return
    prepare_code(parent, keep=True)


def _keep_text(element: Element) -> None:
    """Replace the content of an element by its text in one step; removing tags one by one is quadratic."""
    for child in element.iterdescendants():
        child.tail = " " + (child.tail or "")
    text = raw_text(element)
    del element[:]
    element.text = text


def _as_math(element: Element, tex: str, *, display: bool) -> None:
    tex = re.sub(r"^\s*(?:<!\[CDATA\[|%\s*<!\[CDATA\[)|(?:%\s*)?\]\]>\s*$", "", tex)
    tex = re.sub(r"^\{\\displaystyle (.*)\}$", r"\1", one_line(tex, 4000))
    replace_text(element, "samp", tex)
    element.set("data-ss-math", "$$" if display else "$")


def _is_footnote(anchor: Element) -> bool:
    names = classes(anchor)
    if {"footnote-ref", "footnote-reference", "footnoteref"} & set(names) or anchor.get(
        "data-footnote-ref"
    ) is not None:
        return True
    parent = anchor.getparent()
    href = (anchor.get("href") or "").lower()
    return (
        parent is not None
        and parent.tag == "sup"
        and href.startswith(("#fn", "#footnote", "#ftn", "#user-content-fn", "#cite_note"))
    )


def _settle_note(anchor: Element) -> None:
    text = text_of(anchor).strip("[]")
    parent = anchor.getparent()
    holder = parent if parent is not None and parent.tag == "sup" and len(parent) == 1 else anchor
    replace_text(holder, "span", f"[{text}]" if text else "")


def _settle_card(anchor: Element) -> None:
    """Settle a link around blocks: link its heading, or else join its content to one line."""
    heading = next((child for child in anchor.iterdescendants() if child.tag in HEADINGS), None)
    if heading is not None:
        inner = etree.Element("a", {str(name): str(value) for name, value in anchor.items()})
        inner.text, heading.text = heading.text, None
        inner.extend(list(heading))
        heading.append(inner)
        anchor.tag = "div"
    elif any(child.tag in {"pre", "table", "ul", "ol"} for child in anchor.iterdescendants()):
        unwrap(anchor)
    else:
        for child in list(anchor.iterdescendants()):
            if child.tag in BLOCKS:
                child.tail = " " + (child.tail or "")
                unwrap(child)
        parent = anchor.getparent()
        if parent is not None and parent.tag == "div":
            anchor.set("data-ss-block", "1")


def _settle_image(image: Element, resolver: LinkResolver) -> None:
    """Keep an image only for its text: an explicit description, or an alternative text with information."""
    text = one_line(image.get(DESCRIPTION) or "", _ALT_CHARS)
    if not text:
        text = one_line(image.get("alt") or image.get("aria-label") or "", _ALT_CHARS)
        source_name = (image.get("src") or "").rsplit("/", 1)[-1].rsplit(".", 1)[0]
        if (
            not any(char.isalnum() for char in text)
            or _GENERIC.fullmatch(text)
            or text == source_name
            or _is_repeated(image, text)
        ):
            drop(image)
            return
    sources = (image.get(name) or "" for name in _SOURCES)
    source = next((value for value in sources if value and not value.lower().startswith(("data:", "blob:"))), "")
    tail = image.tail
    image.clear()
    image.tail = tail
    image.set("alt", text)
    image.set("src", resolver.destination(source) if source else "")


def _is_repeated(image: Element, text: str) -> bool:
    """Return True if the figure's caption, or the surrounding heading or link, repeats the text."""
    around = next((parent for parent in image.iterancestors() if parent.tag in HEADINGS | {"a", "figure"}), None)
    if around is None:
        return False
    if around.tag == "figure":
        return any(text_of(caption).casefold() == text.casefold() for caption in around.iter("figcaption"))
    return text.casefold() in text_of(around).casefold()
