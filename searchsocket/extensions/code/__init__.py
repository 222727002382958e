"""Source code: the second corpus of a project, with its stages, search, tools, commands and line protocol."""
