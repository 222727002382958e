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
# Browsers read these encodings as the superset in wide use.
_SUPERSETS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "euc_kr": "cp949",
    "johab": "cp949",
    "big5": "big5hkscs",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
}
# Labels of the WHATWG Encoding Standard that Python does not know, by their codec.
_LABELS = {
    label: codec
    for codec, labels in {
        "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
        "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16",
        "utf-16-be": "unicodefffe",
        "big5hkscs": "cn-big5 x-x-big5",
        "cp874": "dos-874 windows-874 iso885911",
        "cp932": "windows-31j x-sjis",
        "cp949": "cseuckr csksc56011987 iso-ir-149 ks_c_5601-1989 ksc_5601 windows-949",
        "cp1250": "x-cp1250",
        "cp1251": "x-cp1251",
        "cp1252": "x-cp1252 iso88591 x-user-defined",
        "cp1253": "x-cp1253",
        "cp1254": "x-cp1254 iso88599",
        "cp1255": "x-cp1255",
        "cp1256": "x-cp1256",
        "cp1257": "x-cp1257",
        "cp1258": "x-cp1258",
        "euc_jp": "cseucpkdfmtjapanese x-euc-jp",
        "gb18030": "csgb2312 gb_2312 gb_2312-80 x-gbk",
        "iso8859-2": "iso88592",
        "iso8859-3": "iso88593",
        "iso8859-4": "iso88594",
        "iso8859-5": "iso88595",
        "iso8859-6": "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i iso88596",
        "iso8859-7": "iso88597 sun_eu_greek",
        "iso8859-8": "csiso88598e csiso88598i iso-8859-8-e iso-8859-8-i iso88598 logical visual",
        "iso8859-10": "iso885910",
        "iso8859-13": "iso885913",
        "iso8859-14": "iso885914",
        "iso8859-15": "csisolatin9 iso885915",
        "koi8-r": "koi koi8",
        "koi8-u": "koi8-ru",
        "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
        "mac-roman": "csmacintosh mac x-mac-roman",
    }.items()
    for label in labels.split()
}
# Python codecs that are not charsets of a page: they transform, run slowly, or hide markup.
_REFUSED = {"utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"}
_LABEL = re.compile(r"[a-z0-9][a-z0-9._:-]*")  # Python ignores other characters in a name
_XML_DECLARATION = re.compile(rb"""\s*<\?[^>]*encoding=["']([^"'>]*)["'][^>]*\?>""", re.IGNORECASE)
_TAG = re.compile(rb"</?([A-Za-z][^\s/>]*)")
_ATTRIBUTE = re.compile(
    rb"""[\s/]*([^\s/>][^\s/>=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(?!["'])([^\s>]*)))?"""
)
_SPACE = re.compile(rb"[\s/]*")
_IN_CONTENT = re.compile(rb"""charset\s*=\s*(?:"([^"]*)"|'([^']*)'|(?!["'])([^\s;]*))""", re.IGNORECASE)
_HEAD_BYTES = 65_536  # how far a declaration is searched; browsers read the page again if they meet a late one


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
    declared = _declared(data, charset) if b"\x1b" in data else ""
    if declared.startswith("iso2022"):  # seven-bit: it is valid UTF-8 too
        return _clean(data.decode(declared, "replace")), ""
    wide = _wide(data, charset)
    if wide:
        return _clean(data.decode(wide, "replace")), ""
    try:
        return _clean(data.decode("utf-8")), ""
    except UnicodeDecodeError:
        declared = declared or _declared(data, charset)
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
    label = label.strip().lower()
    try:
        name = _LABELS.get(label) or (codecs.lookup(label).name if _LABEL.fullmatch(label) else "")
    except (LookupError, ValueError, UnicodeError):
        return ""
    name = _SUPERSETS.get(name, name)
    try:
        b"a".decode(name, "replace") if name else ""
    except (LookupError, UnicodeError, AssertionError):
        return ""
    return "" if name in _REFUSED or name.startswith("utf-32") else name


def _declared(data: bytes, charset: str) -> str:
    codec = _codec(charset)
    return codec if codec and not codec.startswith("utf-16") else _in_document(data[:_HEAD_BYTES])


def _in_document(head: bytes) -> str:
    """The codec that the page declares, found as browsers do; "" if it declares none."""
    if xml := _XML_DECLARATION.match(head):
        return _own_codec(xml[1])
    position = head.find(b"<")
    while position >= 0:
        if head.startswith(b"<!--", position):
            position = head.find(b"-->", position + 2)
        elif tag := _TAG.match(head, position):
            attributes, position = _attributes(head, tag.end())
            is_meta = tag[0].lower() == b"<meta" and position >= 0
            if is_meta and (codec := _own_codec(_label(attributes))):
                return codec
        elif head[position + 1 : position + 2] in (b"!", b"/", b"?"):
            position = head.find(b">", position)
        position = head.find(b"<", position + 1) if position >= 0 else -1
    return ""


def _own_codec(label: bytes) -> str:
    """The codec for a declaration that was read byte by byte, so it is not a 16-bit encoding."""
    codec = _codec(label.decode("ascii", "replace"))
    return "utf-8" if codec.startswith("utf-16") else codec


def _attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """The attributes of a tag, the first of each name; and the position of its end, -1 if it has none."""
    attributes: dict[bytes, bytes] = {}
    while match := _ATTRIBUTE.match(head, position):
        name, *values = match.groups()
        attributes.setdefault(name.lower(), next((value for value in values if value is not None), b""))
        position = match.end()
    end = _SPACE.match(head, position)
    position = end.end() if end else position
    return attributes, position if head[position : position + 1] == b">" else -1


def _label(attributes: dict[bytes, bytes]) -> bytes:
    """The encoding that a meta declares; b"" if it declares none."""
    if b"charset" in attributes:
        return attributes[b"charset"]
    if attributes.get(b"http-equiv", b"").lower() != b"content-type":
        return b""
    match = _IN_CONTENT.search(attributes.get(b"content", b""))
    return next((value for value in match.groups() if value is not None), b"") if match else b""


def _wide(data: bytes, charset: str) -> str:
    """Detect UTF-16 without a byte order mark: every second byte of markup is NUL, or some are and it is declared."""
    if b"\0" in data and (codec := _codec(charset)).startswith("utf-16"):
        return codec
    start = data[:200]
    if len(start) < 4 or start.count(0) < len(start) * 0.4:
        return ""
    return "utf-16-be" if start[0] == 0 else "utf-16-le"


def _clean(text: str) -> str:
    return text.replace("\x00", "").replace("\ufeff", "")
