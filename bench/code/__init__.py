"""The search of source code against other ways to search the same files."""
