"""Web pages without a build step: search at `/`, which also works without scripts, and the API at `/docs`."""
