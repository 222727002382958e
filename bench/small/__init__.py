"""The times of small sites, and of the start of each process."""
