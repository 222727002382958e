"""Add search to a site: detect the site, change its files, and undo the changes."""
