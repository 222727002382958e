"""In which order candidates come, and whether they are enough."""
