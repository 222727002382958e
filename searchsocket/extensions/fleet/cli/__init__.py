"""The fleet's side of the command line."""
