"""What touches the machine: files, locks, processes, a cluster."""
