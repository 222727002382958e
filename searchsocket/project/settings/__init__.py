"""Configuration: keys, defaults and loading."""
