"""Opens every address of the results of real sites in a browser, on three kinds of hosts."""
