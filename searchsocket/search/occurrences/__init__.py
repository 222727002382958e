"""Every place where words or a phrase stand, counted to the last: no ranking, no meaning."""
