"""Content retrieval: how fast, how precise, and how much of what is relevant fits into so many tokens."""
