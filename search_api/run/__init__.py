"""The server process: its sockets, connections, workers and logs."""
