"""The command line: one file per command, which translates arguments to a use case."""
