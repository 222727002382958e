"""Take over the text of documents inside the page: shadow roots, frames with their own source, and drawings."""

import re
from collections.abc import Iterable

from searchsocket.content.html.parse import parse_html
from searchsocket.content.html.tree import BLOCKS, HEADINGS, Element, one_line, replace_text, text_of

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
