"""Extract pages to Markdown in batches: in this process, in workers, or on a cluster."""
