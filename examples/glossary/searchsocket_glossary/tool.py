"""The answer of the tool `glossary` as text for agents."""

from searchsocket.agents.library import Library
from searchsocket.agents.reply import Reply, reply
from searchsocket.agents.tool import Tool
from searchsocket.text.hidden import visible
from searchsocket_glossary.capability import GLOSSARY, TermRequest
from searchsocket_glossary.terms import Definition


def _definition(library: Library, request: TermRequest, answer: Definition) -> Reply:
    return reply(f"{visible(answer.term)}: {visible(answer.definition)}", answer)


TOOLS = (Tool(GLOSSARY, Definition, _definition),)
