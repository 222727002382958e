"""What is kept of a project's branches."""
