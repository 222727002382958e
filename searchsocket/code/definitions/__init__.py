"""The definitions of a source file: what they are called, what they are, and the lines that they take."""
