"""The source code of a scope between runs: status, updates, and marks on changed files."""
