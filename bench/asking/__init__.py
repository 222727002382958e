"""The quality of the answers and refusals of `ask`."""
