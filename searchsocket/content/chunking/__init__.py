"""Mirror pages into chunks: at headings first, then between blocks (spec 9)."""

from searchsocket.content.chunking.page import CHUNKER_VERSION, ChunkedPage, chunk_page

__all__ = ["CHUNKER_VERSION", "ChunkedPage", "chunk_page"]
