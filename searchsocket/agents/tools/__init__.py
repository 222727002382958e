"""The tools by subject, with the texts of their answers."""
