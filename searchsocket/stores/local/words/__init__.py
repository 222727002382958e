"""The words of a generation: what is written of each record and page, and how it is asked."""
