"""Decode the bytes of a page to text, even if the declared encoding is wrong."""

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Browsers read these labels as the superset in wide use.
_SUPERSETS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "euc_kr": "cp949",
    "johab": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "iso8859-11": "cp874",
}
# Python codecs that are not charsets of a page: they transform, run slowly, or hide markup.
_REFUSED = {"utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"}
# `<?xml ... encoding="..."?>` at the start; `<meta charset=...>`, or the charset in the content of another meta.
_XML_DECLARATION = re.compile(rb"""\s*<\?.*encoding=["'](.*?)["'].*\?>""", re.IGNORECASE)
_META = re.compile(rb"""<\s*meta[^>]+charset\s*=\s*["']?([^>]*?)[ /;'">]""", re.IGNORECASE)
_XML_BYTES, _META_BYTES = 1024, 2048  # how far each declaration is searched


def decode_html(data: bytes, charset: str = "") -> tuple[str, str]:
    """Decode a page: byte order mark, then valid UTF-8, then the declared encoding, then the likeliest one.

    Valid UTF-8 with multi-byte characters is practically never anything else, so it wins over a declaration.

    Args:
        charset: What the transport declared (HTTP header), or "".

    Returns:
        The text, without NULs, and a warning ("" if there is nothing to report).
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return _clean(data[len(mark) :].decode(name, "replace")), ""
    declared = _codec(charset) or _codec(_in_document(data))
    if declared.startswith("iso2022"):  # seven-bit: it is valid UTF-8 too
        return _clean(data.decode(declared, "replace")), ""
    wide = _wide(data)
    if wide:
        return _clean(data.decode(wide, "replace")), ""
    try:
        return _clean(data.decode("utf-8")), ""
    except UnicodeDecodeError:
        pass
    if declared and declared != "utf-8":
        text = data.decode(declared, "replace")
        lost = text.count("\ufffd")
        return _clean(text), f"{lost} characters are not valid {declared}" if lost else ""
    text = data.decode("utf-8", "replace")
    lost = text.count("\ufffd")
    # Other encodings hardly ever form a valid sequence by chance.
    if 3 * lost <= sum(1 for char in text if char > "\x7f"):
        return _clean(text), f"{lost} bytes are not valid utf-8"
    return _clean(data.decode("cp1252", "replace")), "not valid utf-8: read as windows-1252"


def _codec(label: str) -> str:
    """The Python codec that browsers would use for a label; "" if there is none."""
    try:
        name = codecs.lookup(label.strip().strip("\"'")).name if label.strip() else ""
    except (LookupError, ValueError, UnicodeError):
        return ""
    name = _SUPERSETS.get(name, name)
    try:
        b"a".decode(name) if name else ""
    except (LookupError, UnicodeError, AssertionError):
        return ""
    # A declaration that can be read byte by byte is not a 16-bit encoding.
    return "" if name in _REFUSED or name.startswith(("utf-16", "utf-32")) else name


def _in_document(data: bytes) -> str:
    match = _XML_DECLARATION.match(data, 0, _XML_BYTES) or _META.search(data, 0, _META_BYTES)
    return match[1].decode("ascii", "replace") if match else ""


def _wide(data: bytes) -> str:
    """Detect UTF-16 without a byte order mark: every second byte of markup is NUL."""
    start = data[:200]
    if len(start) < 4 or start.count(0) < len(start) * 0.4:
        return ""
    return "utf-16-be" if start[0] == 0 else "utf-16-le"


def _clean(text: str) -> str:
    return text.replace("\x00", "").replace("\ufeff", "")
