"""Whether the tools that agents are offered can be told apart by their descriptions alone."""
