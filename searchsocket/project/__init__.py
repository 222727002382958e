"""Where a project lies, which scopes it has, and who may read what is kept of it."""
