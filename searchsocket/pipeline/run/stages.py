"""The stages by name, in the order of the data. Each can run alone, again, in its own process."""

from collections.abc import Mapping

from searchsocket.pipeline.run.stage import Stage
from searchsocket.pipeline.stages.chunk_embeddings import chunk_embeddings
from searchsocket.pipeline.stages.page_chunks import page_chunks
from searchsocket.pipeline.stages.page_mirror import page_mirror
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.pipeline.stages.site_pages import site_pages

STAGES: Mapping[str, Stage] = {
    "site_pages": site_pages,
    "page_mirror": page_mirror,
    "page_chunks": page_chunks,
    "chunk_embeddings": chunk_embeddings,
    "search_index": search_index,
}
