"""Pages of a running site, fetched over HTTP with the manners and the suspicion that this takes."""
