"""The stages by name, in the order of the data. Each can run alone, again, in its own process."""

from collections.abc import Mapping
from typing import Any

from searchsocket.pipeline.run.stage import Stage
from searchsocket.pipeline.stages.chunk_embeddings import chunk_embeddings
from searchsocket.pipeline.stages.page_chunks import page_chunks
from searchsocket.pipeline.stages.page_mirror import page_mirror
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.pipeline.stages.site_pages import site_pages

STAGES: Mapping[str, Stage[Any]] = {
    stage.name: stage for stage in (site_pages, page_mirror, page_chunks, chunk_embeddings, search_index)
}
