"""What a state says when it does not hold what was written into it."""


class DamagedRow(Exception):
    """A row does not hold what was written into it.

    Raised inside an open state, which turns it into `StateUnavailable` and sees to it that the next run begins anew.
    """
