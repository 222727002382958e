"""Calls of a remote provider: queues, rate limits, retries."""
