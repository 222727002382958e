"""The command line: one file a command, each translates arguments to a use case."""
