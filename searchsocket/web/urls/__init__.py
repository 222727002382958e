"""One spelling for each page, where a link leads, and the page that it means."""
