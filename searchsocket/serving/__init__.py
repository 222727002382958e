"""One object that answers for a project, and the JSON of its answers; HTTP and the command line only translate."""
