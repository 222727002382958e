"""Which branches live, what is kept of them, and which scopes may go."""
