"""Pages and files as MCP resources, with completion of their paths."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mcp.shared.uri_template import UriTemplate

from searchsocket.agents.library import Libraries, Library
from searchsocket.agents.tool import MOST_TOKENS, shrink
from searchsocket.errors import PageNotFound
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.search.bounds import LEAST_MAX_TOKENS
from searchsocket.serving.capabilities.base import AGENT
from searchsocket.serving.capabilities.pages import PageRequest, read_page
from searchsocket.text.hidden import visible
from searchsocket.text.token_count import count_tokens
from searchsocket.types import Filter

STATUS_URI = "searchsocket://status"
MAX_VALUES = 100  # maximum of the protocol
_MAX_CHARS = 4_096


@dataclass(frozen=True, slots=True)
class Kind:
    """Kind of resource."""

    name: str
    title: str
    description: str
    template: str
    mime_type: str
    read: Callable[[Library, str, int], str]  # takes a path and the maximum number of tokens
    paths: Callable[[Library, str], Sequence[str]]  # returns the URLs below a folder


@dataclass(frozen=True, slots=True)
class Text:
    """Contents of a resource."""

    text: str
    mime_type: str


@dataclass(frozen=True, slots=True)
class Completed:
    """Completions of a typed prefix."""

    values: list[str]
    total: int


def read_resource(libraries: Libraries, uri: str) -> Text:
    """Read the resource at a URI.

    Raises:
        PageNotFound: The URI does not match a template, or the resource does not exist.
        SearchSocketError: The index cannot answer.
    """
    if uri == STATUS_URI:
        return Text(_status(libraries.find(""), libraries.projects), "application/json")
    for kind in KINDS:
        template = template_of(kind, libraries)
        match = UriTemplate.parse(template).match(uri) if len(uri) <= _MAX_CHARS else None
        if match is not None:
            library = libraries.find(str(match.get("scope", "")), str(match.get("project", "")))
            return Text(_fitting(kind, library, str(match["path"])), kind.mime_type)
    templates = ", ".join([STATUS_URI, *(template_of(kind, libraries) for kind in KINDS)])
    raise PageNotFound(f"no resource {uri[:200]!a}; available: {templates}")


def template_of(kind: Kind, libraries: Libraries) -> str:
    """Return the URI template of a kind, with the project if the server has several."""
    return kind.template.replace("{?scope}", "{?scope,project}") if libraries.projects else kind.template


def complete(libraries: Libraries, template: str, argument: str, typed: str, values: Mapping[str, str]) -> Completed:
    """Return the values of a template's argument that start with the typed text, in path order.

    Args:
        values: Values of the other arguments that are set.
    """
    if argument == "project":
        matches = [name for name in libraries.projects if name.startswith(typed)]
        return Completed(matches[:MAX_VALUES], len(matches))
    library = libraries.find(values.get("scope", "") if argument == "path" else "", values.get("project", ""))
    if argument == "scope":
        matches = [name for name in library.others() if name.startswith(typed)]
        return Completed(matches[:MAX_VALUES], len(matches))
    kind = next((kind for kind in KINDS if template_of(kind, libraries) == template), None)
    if kind is None or argument != "path":
        return Completed([], 0)
    prefix = typed.lstrip("/")
    folder = f"/{prefix.rpartition('/')[0]}".rstrip("/")
    matches = [url[1:] for url in kind.paths(library, folder) if url[1:].startswith(prefix)]
    return Completed(matches[:MAX_VALUES], len(matches))


def _fitting(kind: Kind, library: Library, path: str) -> str:
    """Read as much as clients accept; escaped hidden characters make a text longer."""
    budget = MOST_TOKENS
    text = visible(kind.read(library, path, budget))
    while (tokens := count_tokens(text)) > MOST_TOKENS and budget > LEAST_MAX_TOKENS:
        budget = shrink(budget, tokens)
        text = visible(kind.read(library, path, budget))
    return text


def _status(library: Library, projects: Sequence[str]) -> str:
    """Return the indexed scopes of the default project and their age, as JSON."""
    scopes = [
        {
            "scope": generation.scope,
            "generation": generation.name,
            "publishedAt": generation.published_at,
            "ageSeconds": library.age_s(generation.published_at),
            "pages": generation.pages,
        }
        for generation in library.service.store.list_scopes()
    ]
    current = {"project": library.project.id, "scope": library.scope.name, "branch": library.branch or None}
    project_names = {"projects": list(projects)} if projects else {}
    return visible(json.dumps({**current, **project_names, "indexed": scopes}, ensure_ascii=False, indent=1))


def _page(library: Library, path: str, max_tokens: int) -> str:
    request = PageRequest.model_construct(url=path, max_tokens=max_tokens, scope=library.scope.name)
    page, part = read_page(library.services, request, AGENT)
    token = part.token if part else None
    next_call = f"get_page(url={json.dumps(page.page.facts.url)}, continuation_token={json.dumps(token)})"
    return page.markdown(part, sources=True) + (cut_line(library, next_call) if token else "")


def cut_line(library: Library, next_call: str) -> str:
    """Return the last line of a cut text, with a tool call for the next part: resources have no continuation."""
    hint = library.next(next_call.partition("(")[0], f"; the rest: {next_call}")
    return f"\n[cut at the maximum length for clients{hint}]\n"


def _pages_below(library: Library, folder: str) -> Sequence[str]:
    return library.service.engine.opened(library.scope).words.pages_with((), where=Filter(path_prefix=folder))


KINDS: Sequence[Kind] = (
    Kind(
        "page",
        "A page of the site",
        "An indexed page: front matter with its route file, then Markdown.",
        "searchsocket://page/{+path}{?scope}",
        "text/markdown",
        _page,
        _pages_below,
    ),
    *(kind for extension in extensions() if extension.resources for kind in load(extension.resources)),
)
