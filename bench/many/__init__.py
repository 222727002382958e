"""Many projects in one service: memory and time."""
