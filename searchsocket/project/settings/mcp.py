"""`[mcp]`: settings of the MCP server (spec 7)."""

from typing import Annotated, Literal

from pydantic import Field

from searchsocket.project.settings.section import Section

ToolName = Literal[
    "search", "get_page", "related", "search_code", "fetch",
    "search_content", "find_documents", "get_document_text", "get_document_data", "ask",
]  # fmt: skip


class McpHttpSettings(Section):
    port: Annotated[int, Field(ge=0, le=65_535)] = 3338  # of `searchsocket mcp --transport http`; 0 = any free one
    path: Annotated[str, Field(pattern=r"^(/[A-Za-z0-9._~-]+)+$")] = "/mcp"  # also in what `serve` serves


class McpSettings(Section):
    enable: bool | None = None  # over HTTP in what `serve` serves; None = where it is started with --dev
    transport: Literal["stdio", "http"] = "stdio"  # of `searchsocket mcp`
    http: McpHttpSettings = McpHttpSettings()
    tools: tuple[ToolName, ...] = ()  # that agents are offered; () = those of what is indexed
