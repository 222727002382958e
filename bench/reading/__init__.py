"""Compare the mirror with the text that a browser shows."""
