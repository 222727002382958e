"""How texts become vectors: one file per embedder."""
