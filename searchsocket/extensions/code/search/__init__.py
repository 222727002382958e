"""Search source code by meaning, by words, and by the names of definitions."""
