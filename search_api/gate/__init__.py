"""Who may ask, and how much: tiers, guards and rates."""
