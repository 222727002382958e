"""Source code as a corpus: which files are code, their languages, and the definitions in them."""
