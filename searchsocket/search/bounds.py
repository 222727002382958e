"""Bounds of requests. No imports here, so that the command line starts fast."""

MAX_QUERY_CHARS = 1_000
MAX_TOP_K = 100  # pages or chunks
MAX_OCCURRENCES = 100
MAX_PASSAGES = 10
MAX_LIMIT = 50  # passages of content, or documents
MAX_CODE_TOP_K = 50
MAX_CODE_OCCURRENCES = 1_000
MAX_RELATED_CODE = 20  # definitions, and pages
MAX_PLACES, MAX_LINES = 5, 120  # of one request to fetch; lines of each
# Clients cut at 25,000 tokens; a tool returns its result twice, as text and as data, with names and numbers around it.
DEFAULT_MAX_TOKENS, LEAST_MAX_TOKENS, MOST_MAX_TOKENS = 8_000, 200, 100_000
