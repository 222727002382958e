"""Embedders and rerankers, calls of their providers, and the bill."""
