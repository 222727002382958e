"""Put text that React streams to the end of a page into its place, as the script of the page does.

React writes a boundary that is late or long as a template with its fallback, and the text in a hidden element. Scripts
name both: `$RC("B:0","S:0")` for a boundary, `$RS("S:1","P:1")` for a part of one.
"""

import re
from itertools import islice

from lxml import etree

from searchsocket.content.html.tree import Element, with_attribute

_CALL = re.compile(r'\$R([CRS])\("([^"]{1,100})","([^"]{1,100})"')
_COMMENT = re.compile(r"<!--(/?)\$[?!~]?-->")  # where a boundary starts and ends; the parser drops comments
_BOUNDARY = "data-ss-boundary"
_UNWRAPPED = "ss-unwrapped"
_MAX_CALLS = 1000


def mark_boundaries(text: str) -> str:
    """Replace the comments around each boundary by elements, if a script of the page moves text into one."""
    if "$RC(" not in text and "$RR(" not in text:
        return text
    return _COMMENT.sub(lambda match: f'<template {_BOUNDARY}="{"end" if match[1] else "start"}"></template>', text)


def settle_boundaries(root: Element, text: str) -> None:
    """Replace each fallback by the text that a script moves there.

    Args:
        text: The page's HTML. Most pages have no such script, and are not searched.
    """
    calls = list(islice(_CALL.finditer(text), _MAX_CALLS)) if "$RC(" in text or "$RR(" in text else []
    if not calls:
        return
    by_id = {element.get("id"): element for element in with_attribute(root, "id")}
    for call in calls:
        kind, first, second = call.groups()
        place, content = (by_id.get(second), by_id.get(first)) if kind == "S" else (by_id.get(first), by_id.get(second))
        parent = None if place is None else place.getparent()
        if place is None or content is None or parent is None or content in (place, *place.iterancestors()):
            continue
        if kind != "S":
            _drop_fallback(place)
        content.tail, place.tail = place.tail, None
        parent.replace(place, content)
        content.tag = _UNWRAPPED
    etree.strip_tags(root, _UNWRAPPED)


def _drop_fallback(start: Element) -> None:
    """Drop what follows an element up to the end of its boundary; nothing if the end is missing."""
    depth, fallback = 1, []
    for element in start.itersiblings():
        depth += {"start": 1, "end": -1}.get(element.get(_BOUNDARY, ""), 0)
        fallback.append(element)
        if depth == 0:
            break
    parent = start.getparent()
    if depth or parent is None:
        return
    start.tail = fallback[-1].tail
    for element in fallback:
        parent.remove(element)  # with the text after it
