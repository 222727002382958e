"""Map URLs to the files of a SvelteKit project."""
