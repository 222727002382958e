"""A redactor with a pattern that never ends on one text, as an unbounded pattern did."""

import re

from searchsocket.text.redaction import Redacted, Redactor

ENDLESS = "a" * 60 + "!"
_EXPONENTIAL = re.compile(r"(a+)+$")


class SlowRedactor(Redactor):
    def redact(self, text: str) -> Redacted:
        for word in text.split():
            _EXPONENTIAL.fullmatch(word)
        return super().redact(text)


class GreedyRedactor(Redactor):
    def redact(self, text: str) -> Redacted:
        if ENDLESS in text:
            bytearray(2_000_000_000)
        return super().redact(text)
