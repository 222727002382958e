"""Content retrieval: speed, precision, and the share of relevant documents in a token budget."""
