"""Frequently requested values are computed once per interval."""

from searchsocket.serving.health import Recent


def test_a_value_is_made_anew_when_it_is_too_old() -> None:
    now, values = [0.0], list[float]()

    def make() -> float:
        values.append(now[0])
        return now[0]

    recent = Recent[float](1.0, lambda: now[0])
    answers = []
    for now[0] in (0.0, 0.5, 0.999, 1.0, 1.5, 9.0):
        answers.append(recent.get(make))
    assert answers == [0.0, 0.0, 0.0, 1.0, 1.0, 9.0]
    assert values == [0.0, 1.0, 9.0]
