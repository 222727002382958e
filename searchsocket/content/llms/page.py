"""One page as Markdown for agents."""

import json

from searchsocket.content.llms.site import INDEX, AgentSite
from searchsocket.content.pages import Page

VERSION = 2  # of the output; another value rewrites every file


def render_markdown(page: Page, site: AgentSite) -> str:
    """The Markdown of a page for agents: title, address and text, without source paths.

    The front matter is valid YAML: each value is JSON.
    """
    facts = page.facts
    values = {
        "title": facts.title,
        "description": facts.description,
        "url": f"{site.origin}{facts.address or site.base + facts.url}",
        "modified": facts.modified,
        "index": site.address(INDEX),
    }
    head = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value)
    heading = "" if page.body.startswith("# ") else f"# {' '.join(facts.title.split())}\n\n"
    return f"---\n{head}\n---\n\n{heading}{page.body}\n"


def utf8(text: str) -> bytes:
    """Encode a text; lone surrogates, which no file may contain, become question marks."""
    return text.encode("utf-8", "replace")
