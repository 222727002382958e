"""The error of damaged rows."""


class DamagedRow(Exception):
    """A stored row is damaged.

    Raised inside an open state, which turns it into `StateUnavailable` and sees to it that the next run begins anew.
    """
