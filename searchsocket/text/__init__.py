"""Words of texts and queries: their forms, typos and synonyms."""
