"""The pause that an HTTP response requests."""

import re
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz

_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def retry_after_s(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Return the seconds to wait, from a number or a date; None if the headers request no pause.

    A date is relative to the server's clock if the response has a `date` header.

    Args:
        headers: Header names in lower case, or in a case-insensitive mapping.
        now: Our clock in seconds since 1970, for a date in an answer without `date`; None ignores such a date.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if _NUMBER.fullmatch(text):
            return float(text) * unit_s
    until, sent = (_seconds(headers.get(name, "")) for name in ("retry-after", "date"))
    start = now if sent is None else sent
    return None if until is None or start is None else max(0.0, until - start)


def _seconds(date: str) -> float | None:
    """Seconds since 1970 of a date; None if it is not one."""
    try:
        parsed = parsedate_tz(date)
        return None if parsed is None else float(mktime_tz(parsed))
    except (ValueError, OverflowError):
        return None
