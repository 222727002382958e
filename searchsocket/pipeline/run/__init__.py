"""A run around its stages: context, results, checks and plan."""
