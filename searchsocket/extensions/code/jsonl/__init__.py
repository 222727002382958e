"""Source code search over standard input and output: one JSON request per line, one JSON answer per line."""
