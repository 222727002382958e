"""A time that passes when somebody sleeps."""

from dataclasses import dataclass, field

from searchsocket.models.calling.calls import Time


@dataclass
class Fake:
    """Its clock, and how long was slept for each time."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    @property
    def time(self) -> Time:
        return Time(lambda: self.now, self._sleep, lambda: 0.0)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
