"""Records of a generation, and the columns of them that ranking compares."""
