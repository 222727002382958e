"""What changes while somebody works on a site: what to look at, and when it is worth a run."""
