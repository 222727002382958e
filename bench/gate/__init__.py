"""What is answered, and how sure: nonsense, questions about something else, paraphrases, and true questions."""
