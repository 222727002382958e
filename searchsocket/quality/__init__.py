"""Quality of an index: golden queries, their measures, and changes between two generations."""
