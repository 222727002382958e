"""Languages of a site's pages: from their addresses and `hreflang` links."""
