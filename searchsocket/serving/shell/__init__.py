"""One query of the shell, answered in its own process with as little loaded as can be: no pydantic, no builder."""
