"""URL to route file, by the framework's own rules."""
