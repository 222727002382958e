"""A static export beside the server, Pagefind and MiniSearch: quality, and bytes that a browser loads."""
