"""PDF, Word and OpenDocument files as pages."""

from searchsocket.extensions.base import Extension

EXTENSION = Extension(
    name="documents",
    readers=dict.fromkeys(("pdf", "docx", "odt"), f"{__name__}.extract:extract_document"),
    readers_version="pdf 1, office 1",
)
