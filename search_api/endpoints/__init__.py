"""One file for each endpoint: what it takes, what it gives, and which errors it may answer with."""
