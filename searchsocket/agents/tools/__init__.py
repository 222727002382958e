"""The tools, a file for what belongs together: what each takes, and how its answer reads."""
