"""The time of the sensors' ticks and the size of their cursors, with many branches."""
