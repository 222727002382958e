"""What coding agents ask: tools and resources of the Model Context Protocol, over whatever `serving` answers."""
