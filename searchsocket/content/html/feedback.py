"""Drop the question of a site about its own page: `Was this page helpful? Yes No`."""

import re

from lxml import etree

from searchsocket.content.html.tree import Element, drop, elements_of, text_of

_WORDS = ("helpful", "useful", "hilfreich", "utile", "útil", "nuttig")
_ASKING = etree.XPath("descendant::*[text()[" + " or ".join(f'contains(., "{word}")' for word in _WORDS) + "]]")
_PAGE = frozenset({"main", "article", "body"})
_QUESTION = re.compile(
    r"[^.?!]{0,40}\b(?:this|page|article|section|content|information|diese\w?|seite|artikel|cette|este|esta|questa"
    rf"|deze)\b[^.?!]{{0,40}}\b(?:{'|'.join(_WORDS)})\s*\?"
    r"(?:\b(?:yes|no|ja|nein|nee|oui|non|s[ií]|sim|n[ãa]o|thanks?|thank you|for|your|feedback|submit)\b|[\W\d_])*",
    re.IGNORECASE,
)


def drop_feedback(root: Element, text: str) -> None:
    """Drop each question whether this page is helpful, with its answers.

    Args:
        text: The page's HTML. Most pages have none of the words, and are not searched.
    """
    for element in elements_of(_ASKING, root) if any(word in text for word in _WORDS) else ():
        asking = None
        while element.tag not in _PAGE and _QUESTION.fullmatch(text_of(element)):
            asking = element
            parent = element.getparent()
            if parent is None:
                break
            element = parent
        if asking is not None and asking.getparent() is not None:
            drop(asking)
