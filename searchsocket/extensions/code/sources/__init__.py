"""Sources of code: the working tree, or a commit without a checkout."""
