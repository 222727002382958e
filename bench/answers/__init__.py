"""The quality of answers in sentences: what is shown, what is dropped, and what that takes."""
