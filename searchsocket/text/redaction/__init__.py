"""Replace secrets in a text before it leaves the machine (spec 24)."""
