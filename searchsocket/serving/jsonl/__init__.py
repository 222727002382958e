"""Source code for agents: a JSON object a line on standard input, and its answer in a line on standard output."""
