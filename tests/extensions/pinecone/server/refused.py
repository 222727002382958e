"""How the service refuses."""


class Refused(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, message: str, code: str = "INVALID_ARGUMENT", retry_after: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = {"retry-after": retry_after} if retry_after else {}


def demand(holds: bool, message: str) -> None:
    if not holds:
        raise Refused(400, message)
