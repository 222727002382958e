"""A store in memory: what every store promises, as short as it can be said; a second one, to try the seam with."""
