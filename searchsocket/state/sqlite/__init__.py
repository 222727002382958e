"""All of a project's state in one SQLite file: stages of one scope are serial, scopes share its write-ahead log."""
