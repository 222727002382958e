"""Access control: tiers, guards and rate limits."""
