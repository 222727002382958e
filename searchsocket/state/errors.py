"""The error of damaged rows."""


class DamagedRow(Exception):
    """A stored row is damaged.

    Raised inside an open state, which converts it to `StateUnavailable` and renames the file, so the next run starts
    empty.
    """
