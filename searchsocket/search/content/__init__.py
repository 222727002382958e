"""Content for agents: passages by meaning and to the letter, documents, and answers made of what they say."""
