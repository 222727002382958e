"""One run: context, results, checks and plan, around its stages."""
