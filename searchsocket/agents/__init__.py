"""Tools and resources for coding agents over the Model Context Protocol, on top of `serving`."""
