"""Store pages as UTF-8 if the host declares another charset, which later stages do not know."""

import codecs
from email.message import Message

from searchsocket.content.html.decode import decode_html

_UTF_8 = ("utf-8", "utf8", "unicode-1-1-utf-8")


def declared_charset(content_type: str) -> str:
    """The charset in a `Content-Type`, in lower case; "" if there is none."""
    header = Message()
    header["content-type"] = content_type
    return header.get_content_charset("")


def as_utf8(body: bytes, content_type: str) -> bytes:
    """A text in UTF-8 with a byte order mark, if the header declares its charset; a byte order mark of its own wins.

    The mark makes later stages ignore a charset in the page, because the header takes precedence.
    """
    charset = declared_charset(content_type)
    if not charset or charset in _UTF_8:
        return body
    text, _ = decode_html(body, charset)
    return codecs.BOM_UTF8 + text.encode("utf-8", "replace")
