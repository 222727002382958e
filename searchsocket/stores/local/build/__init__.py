"""Build a generation from the live one and the staged changes."""
