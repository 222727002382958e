"""The server process: what it listens on and which connections it keeps."""
