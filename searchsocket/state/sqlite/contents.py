"""What a page says, as two blobs of `contents`: its facts and its body. Packing adds a checksum."""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from searchsocket.state.base.errors import DamagedRow
from searchsocket.system.compressed import packed as packed_text
from searchsocket.system.compressed import unpacked as unpacked_text
from searchsocket.types import ExtractedPage, Link

_BESIDE = ("body", "links", "skip", "redirect_to")  # kept by themselves
_FACTS = tuple(field.name for field in fields(ExtractedPage) if field.name not in _BESIDE)


def packed(page: ExtractedPage) -> tuple[bytes, bytes]:
    """The blobs `facts` and `body`."""
    facts = {name: getattr(page, name) for name in _FACTS}
    return packed_text(json.dumps(facts, ensure_ascii=False)), packed_text(page.body)


def unpacked(facts: bytes, body: bytes, *, skip: str, redirect_to: str, links: Sequence[Link] = ()) -> ExtractedPage:
    """The page of two blobs and of what is kept beside them.

    Raises:
        DamagedRow: They are not what was written.
    """
    try:
        data: dict[str, Any] = json.loads(unpacked_body(facts))
        values: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in data.items()}
        return ExtractedPage(body=unpacked_body(body), links=tuple(links), skip=skip, redirect_to=redirect_to, **values)
    except (ValueError, TypeError, AttributeError) as error:
        raise DamagedRow(f"what is known of a page is damaged: {error}") from error


def unpacked_body(blob: bytes) -> str:
    """The Markdown of a page.

    Raises:
        DamagedRow: It is not what was written.
    """
    try:
        return unpacked_text(blob)
    except (ValueError, TypeError) as error:
        raise DamagedRow(f"the text of a page is damaged: {error}") from error
