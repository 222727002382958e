"""Links between the pages of a generation, read from their texts, that lead to none of its pages."""

import re
from collections.abc import Iterable

from searchsocket.errors import PageTextsMissing
from searchsocket.pipeline.run.dead_links import is_file
from searchsocket.state.links import LinkToNowhere
from searchsocket.stores.base import IndexReader
from searchsocket.web.urls.targets import resolve_target

_LINK = re.compile(r"\]\((/[^\s()<>\"']*)")  # of a mirror file, where links within the site are paths


def links_to_nowhere(reader: IndexReader, urls: Iterable[str]) -> set[LinkToNowhere]:
    """The dead links of all pages; none where an older version published the index without its texts.

    Args:
        urls: Of all pages of the generation.
    """
    known = set(urls)
    answers: dict[str, bool] = {}
    found = set()
    for url in known:
        try:
            text = reader.catalogue.page_body(url) or ""
        except PageTextsMissing:
            return set()
        for target in dict.fromkeys(match.partition("#")[0].partition("?")[0] for match in _LINK.findall(text)):
            if target not in answers:
                answers[target] = not is_file(target) and resolve_target(target, known.__contains__) is None
            if answers[target]:
                found.add(LinkToNowhere(target, url))
    return found
