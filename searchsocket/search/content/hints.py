"""What an agent may do next, as calls of tools that there are, with arguments that work."""

import json
from collections.abc import Iterable, Sequence

from searchsocket.search.content.answer import ContentResult
from searchsocket.search.content.corpus import Corpus
from searchsocket.search.content.query import ContentQuery

_MAX_RELATED = 3
_FEW = 3  # documents, of which the first is worth reading whole


def call(tool: str, **arguments: object) -> str:
    """A call as agents read it: `get_document_text(folder_id="site", file_path="guide/a.md")`."""
    given = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items() if value)
    return f"{tool}({given})"


def interpretation(query: ContentQuery) -> str:
    """What was understood."""
    concepts, terms = " and ".join(query.semantic_concepts), ", ".join(f"`{term}`" for term in query.exact_terms)
    if not concepts:
        return f"chunks that hold {terms}, those with most of them first"
    return f"chunks about {concepts}" + (f", raised by each that they hold of {terms}" if terms else ", nearest first")


def next_actions(corpus: Corpus, query: ContentQuery, results: Sequence[ContentResult], token: str) -> tuple[str, ...]:
    """What fits these results."""
    folder = corpus.folder_id
    words = [*query.semantic_concepts, *query.exact_terms]
    if not results:
        return (call("find_documents", folder_id=folder, query=" ".join(words)),)
    first = results[0]
    whole = call("get_document_text", folder_id=folder, file_path=first.file_path)
    actions = [f"read the document of the first result: {whole}"]
    if first.truncated:
        read = call("get_document_text", folder_id=folder, file_path=first.file_path, chunk_id=first.chunk_id)
        actions.insert(0, f"read the first result whole: {read}")
    if len({one.file_path for one in results}) > _FEW:
        actions.append(
            f"see which documents are about it: {call('find_documents', folder_id=folder, query=' '.join(words))}"
        )
    else:
        outline = call("get_document_data", folder_id=folder, file_path=first.file_path)
        actions.append(f"list the chunks of that document: {outline}")
    if token:
        more = call("search_content", folder_id=folder, continuation_token=token)
        actions.append(f"get the results that follow: {more}")
    return tuple(actions)


def related_queries(corpus: Corpus, query: ContentQuery, phrases: Iterable[str]) -> tuple[str, ...]:
    """Key phrases of the documents that were found, but for those that were asked for; each has results."""
    asked = " ".join([*query.semantic_concepts, *query.exact_terms]).casefold()
    new = (phrase for phrase in dict.fromkeys(phrases) if phrase.casefold() not in asked)
    found: list[str] = []
    for phrase in new:
        if corpus.reader.words.search(phrase, top_k=1, where=corpus.where):
            found.append(phrase)
        if len(found) == _MAX_RELATED:
            break
    return tuple(found)
