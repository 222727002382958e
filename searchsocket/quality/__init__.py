"""Whether an index answers well: golden queries, their measures, and what moved between two generations."""
