"""The matrix of a generation."""
