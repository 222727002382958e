"""Answers, weak answers and refusals: nonsense, questions about something else, paraphrases and true questions."""
