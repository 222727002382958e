"""Test whether agents can choose between the tools by their descriptions alone."""
