"""Fit the ranking: pages of many sites, queries mined from them, features of candidates, and models over these."""
