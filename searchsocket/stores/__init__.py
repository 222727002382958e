"""Where vectors, words and records are kept: one file or folder per store."""
