"""The source code of a scope between runs: what is stale, brought up to date, or marked."""
