"""The stages by name, in the order of the data. Each can run alone, again, in its own process."""

from collections.abc import Mapping

from searchsocket.pipeline.chunk_embeddings import chunk_embeddings
from searchsocket.pipeline.page_chunks import page_chunks
from searchsocket.pipeline.page_mirror import page_mirror
from searchsocket.pipeline.search_index import search_index
from searchsocket.pipeline.site_pages import site_pages
from searchsocket.pipeline.stage import Stage

STAGES: Mapping[str, Stage] = {
    "site_pages": site_pages,
    "page_mirror": page_mirror,
    "page_chunks": page_chunks,
    "chunk_embeddings": chunk_embeddings,
    "search_index": search_index,
}
