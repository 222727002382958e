"""How long the sensors' ticks take, and how large their cursors get, with many branches."""
