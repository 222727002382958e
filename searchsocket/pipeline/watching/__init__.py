"""Watch a site for changes and decide when to run."""
