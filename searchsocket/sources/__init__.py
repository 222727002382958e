"""Where pages come from: one file per source."""
