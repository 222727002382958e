"""PDF files as tests need them, written by hand."""

import zlib
from collections.abc import Sequence

Text = tuple[int, str]  # size in points, words


def pdf_bomb(operations: int) -> bytes:
    """A small PDF file whose only page unpacks to so many operations that show text."""
    data = pdf([(10, "Boats")])
    start = data.index(b"<< /Length")
    end = data.index(b"endstream", start)
    stream = zlib.compress(b"BT /F1 10 Tf 50 700 Td " + b"(boats) Tj " * operations + b"ET", 9)
    return b"%b<< /Length %d /Filter /FlateDecode >>\nstream\n%b\n%b" % (data[:start], len(stream), stream, data[end:])


def pdf(
    *pages: Sequence[Text], title: str = "", encrypted: bool = False, outline: Sequence[tuple[str, int]] = ()
) -> bytes:
    """A PDF file with lines of text on pages, top to bottom.

    Args:
        encrypted: Say that a password is needed.
        outline: Titles with their pages, from 0.
    """
    objects: list[bytes] = []

    def add(data: str | bytes) -> int:
        objects.append(data.encode("latin-1") if isinstance(data, str) else data)
        return len(objects)

    catalog, tree = add(""), add("")
    font = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    kids = []
    for lines in pages:
        top, parts = 780, []
        for size, words in lines:
            top -= round(size * 1.2)
            escaped = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            parts.append(f"BT /F1 {size} Tf 50 {top} Td ({escaped}) Tj ET")
        stream = "\n".join(parts)
        content = add(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        kids.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R "
                f"/Resources << /Font << /F1 {font} 0 R >> >> >>"
            )
        )
    entries = [len(objects) + 2 + i for i in range(len(outline))]
    root = ""
    if outline:
        top_entry = add(f"<< /Type /Outlines /First {entries[0]} 0 R /Last {entries[-1]} 0 R /Count {len(entries)} >>")
        root = f"/Outlines {top_entry} 0 R"
        for i, (words, number) in enumerate(outline):
            following = f"/Next {entries[i + 1]} 0 R" if i + 1 < len(entries) else ""
            add(f"<< /Title ({words}) /Parent {top_entry} 0 R {following} /Dest [{kids[number]} 0 R /Fit] >>")
    info = add(f"<< /Title ({title}) /CreationDate (D:20260301120000Z) >>")
    objects[catalog - 1] = f"<< /Type /Catalog /Pages {tree} 0 R {root} >>".encode()
    objects[tree - 1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{k} 0 R' for k in kids)}] >>".encode()
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    lock = ""
    if encrypted:
        lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{'00' * 32}> /U <{'00' * 32}> /P -4 >> /ID [<00> <00>]"
    data += f"trailer\n<< /Size {len(objects) + 1} /Root {catalog} 0 R /Info {info} 0 R {lock} >>\n".encode()
    return data + b"startxref\n%d\n%%%%EOF\n" % start
