"""Where source files come from: the working tree, or a commit without a checkout."""
