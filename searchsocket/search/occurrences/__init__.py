"""Find and count every occurrence of words or a phrase, without ranking."""
