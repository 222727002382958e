"""Words of texts and queries: their forms, slips and synonyms."""
