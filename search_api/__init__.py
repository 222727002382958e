"""The HTTP service: translates requests to the search engine and its answers to JSON; computes nothing."""
