"""Content for agents: passages by meaning or exact text, and documents."""
