"""Pages for people, without a build step: search at `/`, with a script only to be quicker, and the API at `/docs`."""
