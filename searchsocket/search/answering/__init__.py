"""Answer a question with cited passages: whole sentences of pages and code, or a refusal."""
