"""The Markdown that an answer may contain: code spans, bold text, and links to cited pages.

Readers get text that a strict renderer shows as it is: no images, no HTML, no other links.
"""

import html
import re
from collections.abc import Container, Iterator

_CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\s*(?:\([^)]*\)?|\[[^\]]*\])?")
_LINK = re.compile(r"\[([^\[\]]*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s]*)*)>?(?:\s+[\"'(][^)]*)?\s*\)")
_REFERENCE = re.compile(r"\[([^\[\]]+)\]\[[^\[\]]*\]")
_DEFINITION = re.compile(r"\[[^\[\]]+\]:")
_ADDRESS = re.compile(
    r"<?(?<![\w:])((?:[a-z][a-z0-9+.-]{1,20}://|www\.|//(?=\w)|(?:mailto|javascript|vbscript|data|file|tel):(?=\S))"
    r"[^\s<>\"]*)>?",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])|&(?:#\w+|[A-Za-z]\w+);")
_BARE_TAG = re.compile(r"<[A-Za-z][\w.-]*\s?/?>")  # a placeholder, or the name of an element
_EMPHASIS = re.compile(
    r"(?<![\w*\\])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])|(?<![\w\\])_(?=[^\s_])([^_\n]+?)(?<=\S)_(?!\w)"
)
_STRUCK = re.compile(r"~~(.+?)~~")
_SENTENCE_END = ".,;:!?)]}'\"»”’"


def without_unsafe_markup(text: str, pages: Container[str]) -> str | None:
    """Return a sentence with the Markdown that may be shown; None if it contains HTML or defines a link.

    Images are removed. A link to another address than a cited page becomes its text. A bare address, and a name in
    angle brackets, such as `<path>`, become code.

    Args:
        pages: Addresses of the cited pages.
    """
    parts = list(_parts(text))
    cleaned = []
    for is_code, part in parts:
        if is_code:
            cleaned.append(f"`{part}`")
            continue
        plain = html.unescape(html.unescape(part))
        if _DEFINITION.match(plain.lstrip()):
            return None
        plain = _IMAGE.sub("", plain)
        links: list[str] = []

        def keep(match: re.Match[str], links: list[str] = links) -> str:
            if match[2] not in pages or not match[1].strip():
                return match[1]
            links.append(match[0])
            return f"\0{len(links) - 1}\0"

        plain = _LINK.sub(keep, plain.replace("\0", ""))
        plain = _REFERENCE.sub(r"\1", plain)
        plain = _ADDRESS.sub(_as_code, plain)
        if _TAG.search(_BARE_TAG.sub("", plain)):
            return None
        plain = _BARE_TAG.sub(r"`\g<0>`", plain)
        plain = _EMPHASIS.sub(lambda match: match[1] or match[2], _STRUCK.sub(r"\1", plain))
        plain = plain.replace("![", "[").replace("](", "] (")
        for number, link in enumerate(links):
            plain = plain.replace(f"\0{number}\0", link)
        cleaned.append(plain)
    result = "".join(cleaned)
    if result.count("**") % 2:
        result = result.replace("**", "")
    return " ".join(result.split())


def plain_text(markdown: str) -> str:
    """Return a sentence without the signs of Markdown outside of its code spans."""
    text = "".join(f"`{part}`" if is_code else part for is_code, part in _parts(_LINK.sub(r"\1", markdown)))
    return text.replace("**", "")


def code_spans(markdown: str) -> list[str]:
    """Return the code spans of a sentence."""
    return [part for is_code, part in _parts(markdown) if is_code]


def prose(markdown: str) -> str:
    """Return a sentence with spaces for its code spans."""
    return "".join(" " if is_code else part for is_code, part in _parts(markdown))


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the code spans of a text, and the text between them, without other backticks."""
    start = 0
    for match in _CODE_SPAN.finditer(text):
        yield False, text[start : match.start()].replace("`", "")
        if code := match[2].replace("`", "").strip():
            yield True, code
        start = match.end()
    yield False, text[start:].replace("`", "")


def _as_code(match: re.Match[str]) -> str:
    address = match[1].rstrip(_SENTENCE_END)
    return f"`{address}`{match[1][len(address) :]}"
