"""Source code as a corpus: which files are code, in which language, and the definitions that they are cut at."""
