"""Role of a source file, from its path: production code or tests."""

import re

_TESTS = re.compile(
    r"(?:^|/)(?:_?tests?|__tests__|specs?|testing|e2e|fixtures|__mocks__|benchmarks?|examples?)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$|_test\.(?:go|py|rb|dart|cc|cpp)$|_spec\.rb$|\.(?:test|spec|cy|stories)\.\w+$"
    r"|(?:Test|Tests|IT|Spec)\.(?:java|cs|kt|scala|php|swift)$"
)


def is_test(path: str) -> bool:
    """Return True if a file contains tests or examples."""
    return _TESTS.search(path) is not None
