"""A strict Pinecone, API 2026-07, over real HTTP: it refuses what the service's documentation says is refused."""
