"""What a file is for, by where it lies: source that people look for, or what tries it out."""

import re

_TESTS = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing|e2e|fixtures|__mocks__|benchmarks?|examples?)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$|_test\.(?:go|py|rb|dart|cc|cpp)$|_spec\.rb$|\.(?:test|spec|cy|stories)\.\w+$"
    r"|(?:Test|Tests|IT|Spec)\.(?:java|cs|kt|scala|php|swift)$"
)


def is_test(path: str) -> bool:
    """Whether a file tests or shows other source."""
    return _TESTS.search(path) is not None
