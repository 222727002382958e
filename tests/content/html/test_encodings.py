"""A page is read in the encoding that a browser would choose, if its bytes are not valid UTF-8.

Where a declaration is found: facts of html5lib's tests for encodings. What a label means: the table of the WHATWG
Encoding Standard; Node's `TextDecoder` is the oracle.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from searchsocket.content.html.decode import decode_html
from tests.node import open_node

POLISH, WESTERN = "ą", "±"  # byte B1 in ISO 8859-2, and in windows-1252
CONTENT = "http-equiv=Content-Type content"


@pytest.mark.parametrize(
    ("head", "letter"),
    [
        ("<meta charset=iso8859-2>", POLISH),
        ("<meta charset='iso8859-2'>", POLISH),
        ('<META\nCHARSET = "ISO8859-2" />', POLISH),
        ("<meta/charset=iso8859-2>", POLISH),
        ("<metacharset=iso8859-2>", WESTERN),
        ("<meta charset=iso8859-2", WESTERN),
        ("<meta charset='iso8859-2>", WESTERN),
        ("<meta charset=iso8859-2'>", WESTERN),
        ("<meta charset=nothing><meta charset=iso8859-2>", POLISH),
        ("<meta charset=iso8859-2><meta charset=iso8859-1>", POLISH),
        ("<meta <meta charset='iso8859-2'>", POLISH),
        (f"<meta {CONTENT}='text/html; charset=iso8859-2'>", POLISH),
        (f"<meta {CONTENT}='text/html; charset = iso8859-2 '>", POLISH),
        (f"<meta {CONTENT}='text/html; charset=\"iso8859-2\"'>", POLISH),
        (f"<meta {CONTENT}='text/html; charset=\"iso8859-2'>", WESTERN),
        (f"<meta {CONTENT}=charset=iso8859-2>", POLISH),
        ("<meta content='text/html; charset=iso8859-2' http-equiv=content-type>", POLISH),
        ("<meta content='text/html; charset=iso8859-2'>", WESTERN),
        ("<meta name=Content-Type content='text/html; charset=iso8859-2'>", WESTERN),
        ("<meta http-equiv='Content-Type ' content='text/html; charset=iso8859-2'>", WESTERN),
        ("<meta test=' charset=iso8859-2'>", WESTERN),
        ("<p title='<meta charset=iso8859-2>'>", WESTERN),
        ("<p title=<meta charset=iso8859-2>", WESTERN),
        ("<!--<meta charset=iso8859-2>-->", WESTERN),
        ("<!--><meta charset=iso8859-2>-->", POLISH),
        ("<!--<meta charset=iso8859-1>--><meta charset=iso8859-2>", POLISH),
        ("</meta charset=iso8859-1><!x charset=iso8859-1><?x charset=iso8859-1?><meta charset=iso8859-2>", POLISH),
        ("<?xml version='1.0' encoding='iso8859-2'?>", POLISH),
        (f"<!--{'x' * 5_000}--><meta charset=iso8859-2>", POLISH),
        ("", WESTERN),
        ("<", WESTERN),
        ("<!--", WESTERN),
    ],
)
def test_a_declaration_is_found_as_in_a_browser(head: str, letter: str) -> None:
    """A declaration in a comment or in another attribute declares nothing."""
    text, _ = decode_html(b"<!doctype html>\n"[16 * head.startswith("<?xml") :] + head.encode() + b"<p>\xb1</p>")
    assert f"<p>{letter}</p>" in text


def test_a_declaration_of_utf_16_means_utf_8() -> None:
    """It was read byte by byte; what is not valid UTF-8 is lost, and said."""
    text, warning = decode_html("<meta charset=utf-16><p>aé漢字</p>".encode() + b"\xff")
    assert "aé漢字" in text
    assert warning


@pytest.mark.parametrize(
    "page", [b"<" * 60_000, b"<!--" * 20_000, b"<a x='" * 9_000, b"<meta a=\"b' " * 5_000, b"<meta " * 9_000]
)
def test_a_hostile_head_is_read_once(page: bytes) -> None:
    """Each byte is looked at a few times, however broken the markup is."""
    assert decode_html(page + b"\xb1")[0]


SINGLE = {
    "ibm866": "866 cp866 csibm866", "iso-8859-2": "csisolatin2 iso-ir-101 iso88592 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso88593 latin3", "iso-8859-4": "csisolatin4 iso88594 l4",
    "iso-8859-5": "cyrillic csisolatincyrillic iso88595", "iso-8859-6": "arabic asmo-708 csiso88596e iso-8859-6-i",
    "iso-8859-7": "ecma-118 elot_928 greek greek8 sun_eu_greek", "iso-8859-8": "csiso88598e hebrew visual",
    "iso-8859-8-i": "csiso88598i logical", "iso-8859-10": "csisolatin6 iso885910 l6", "iso-8859-13": "iso885913",
    "iso-8859-14": "iso885914", "iso-8859-15": "csisolatin9 iso885915 l9", "koi8-r": "cskoi8r koi koi8 koi8_r",
    "koi8-u": "koi8-ru", "macintosh": "csmacintosh mac x-mac-roman", "windows-874": "dos-874 iso-8859-11 tis-620",
    "windows-1250": "cp1250 x-cp1250", "windows-1251": "cp1251 x-cp1251", "windows-1253": "cp1253 x-cp1253",
    "windows-1252": "ascii ansi_x3.4-1968 cp819 iso-8859-1 iso88591 l1 latin1 us-ascii x-cp1252",
    "windows-1254": "csisolatin5 iso-8859-9 iso88599 latin5 x-cp1254", "windows-1255": "cp1255 x-cp1255",
    "windows-1256": "cp1256 x-cp1256", "windows-1257": "cp1257 x-cp1257", "windows-1258": "cp1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-ukrainian",
}  # fmt: skip
DOUBLE = {
    "big5": ("cn-big5 csbig5 x-x-big5", "漢字"), "euc-jp": ("cseucpkdfmtjapanese x-euc-jp", "漢字かな"),
    "euc-kr": ("cseuckr korean ks_c_5601-1987 ksc_5601 windows-949", "한국어"), "gb18030": ("", "汉字€"),
    "gbk": ("chinese csgb2312 gb2312 gb_2312-80 iso-ir-58 x-gbk", "汉字"), "iso-2022-jp": ("csiso2022jp", "漢字かな"),
    "shift_jis": ("csshiftjis ms932 ms_kanji sjis windows-31j x-sjis", "漢字かなｶﾅ"),
    "utf-8": ("utf8 unicode-1-1-utf-8 x-unicode20utf8", "漢字é"),
    "utf-16le": ("csunicode ucs-2 unicode utf-16", "漢字каяк"), "utf-16be": ("unicodefffe", "漢字каяк"),
}  # fmt: skip


@pytest.fixture(scope="module")
def node() -> Iterator[Callable[[object], Any]]:
    with open_node("([label, bytes]) => new TextDecoder(label).decode(new Uint8Array(bytes))") as ask:
        yield ask


@pytest.mark.parametrize("encoding", SINGLE)
def test_bytes_of_each_label_are_the_letters_of_browsers(node: Callable[[object], Any], encoding: str) -> None:
    """Bytes without a letter are control characters there, and lost here."""
    data = list(range(0xA0, 0x100))
    expected = node([encoding, data])
    for label in (encoding, *SINGLE[encoding].split()):
        text, _ = decode_html(bytes(data), label)
        assert len(text) == len(data)
        assert [pair for pair in zip(text, expected, strict=True) if pair[0] not in (pair[1], "\ufffd")] == []
        assert text.count("\ufffd") <= expected.count("\ufffd") + 8


@pytest.mark.parametrize("encoding", DOUBLE)
def test_letters_of_each_label_are_read(node: Callable[[object], Any], encoding: str) -> None:
    labels, text = DOUBLE[encoding]
    text = f"<p>{text}</p>"
    data = text.encode(encoding)
    for label in (encoding, *labels.split()):
        assert node([label, [*data]]) == text
        assert decode_html(data, label.upper())[0] == text
