"""Crawl a running site over HTTP, politely and with distrust of its responses."""
