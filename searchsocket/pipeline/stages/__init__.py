"""The five stages, one file each."""
