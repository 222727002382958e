"""The commands `export` and `static`."""
