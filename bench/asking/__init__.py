"""How well `ask` answers, and refuses."""
