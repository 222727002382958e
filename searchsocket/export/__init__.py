"""Write a generation as files that a browser searches without a server (docs/static.md)."""
