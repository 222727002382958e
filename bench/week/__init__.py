"""A week of a site with twelve branches, through the daemon, its sensors, the UI's GraphQL and the command line."""
