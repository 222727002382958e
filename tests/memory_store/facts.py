"""Ranking facts from whole records."""

from collections.abc import Sequence

import numpy as np

from searchsocket.stores.base.index_reader import Facts
from searchsocket.types import Record
from searchsocket.web.urls.paths import sort_key


def facts_of(records: Sequence[Record]) -> Facts:
    """The columns of whole records."""
    keys = [(sort_key(record.page.url), record.chunk.ordinal, record.id) for record in records]
    order = {key: i for i, key in enumerate(sorted(set(keys)))}
    return Facts(
        url=[record.page.url for record in records],
        title=[record.page.title for record in records],
        anchor=[record.chunk.at.anchor for record in records],
        kind=[record.chunk.kind for record in records],
        order=np.array([order[key] for key in keys], np.int64),
        depth=np.array([record.page.depth for record in records], np.int64),
        incoming_links=np.array([record.page.incoming_links for record in records], np.int64),
        weight=np.array([record.page.weight for record in records], np.float64),
    )
