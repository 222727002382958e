"""Everything that a caller can request, each described once; HTTP, MCP and OpenAPI are made from these descriptions."""
