"""Source files as resources for agents."""

from collections.abc import Sequence

from searchsocket.agents.library import Library
from searchsocket.agents.resources import Kind, cut_line
from searchsocket.extensions.code.home import NAME
from searchsocket.search.content.document import DocumentQuery
from searchsocket.search.content.hints import call
from searchsocket.types import Filter


def _file(library: Library, path: str, max_tokens: int) -> str:
    folder = library.folder(NAME)
    document = library.services.content().get_document_text(
        folder, DocumentQuery(path, max_tokens=max_tokens), trusted=True
    )
    token = document.continuation.next_token
    next_call = call("get_document_text", folder_id=folder, file_path=path, continuation_token=token)
    return document.data.text + (cut_line(library, next_call) if token else "")


def _files_below(library: Library, folder: str) -> Sequence[str]:
    files = library.services.parts[NAME]().folder(NAME, library.scope, anonymous=False)
    return files.reader.words.pages_with((), where=Filter(path_prefix=folder))


KINDS = (
    Kind(
        "file",
        "A source file",
        "Text of an indexed source file.",
        "searchsocket://file/{+path}{?scope}",
        "text/plain",
        _file,
        _files_below,
    ),
)
