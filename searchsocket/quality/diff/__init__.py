"""Differences between two generations, of one scope or two: pages, chunks, cost, links and golden queries."""
