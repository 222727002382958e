"""Access to the machine: files, locks, processes, a cluster."""
