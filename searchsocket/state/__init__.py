"""What is known between runs: pages, links, mirror, chunks and runs, in one SQLite file."""
