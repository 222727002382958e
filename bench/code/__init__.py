"""Our search of source code compared with other searches of the same files."""
