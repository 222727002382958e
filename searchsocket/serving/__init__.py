"""Services of a project and the JSON of their answers; HTTP, MCP and the command line only translate."""
