"""Bytes of pages to Markdown, a batch at a time: in this process, in workers, or on a cluster."""
