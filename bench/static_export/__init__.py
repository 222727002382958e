"""A static export compared with the server, Pagefind and MiniSearch: quality, and bytes that a browser loads."""
