"""Problems that last, in words: they are told in every run, also in those that do not look at the page again."""

from searchsocket.state import ScopeState
from searchsocket.state.problems import ProblemPart

SPELLED_OUT = 20  # of one kind


def problem_lines(state: ScopeState, part: ProblemPart) -> tuple[str, ...]:
    """One line per problem of these pages; beyond the first ones only their number."""
    lines = [f"{problem.url}: {problem.text}" for problem in state.problems.first(part, SPELLED_OUT)]
    more = state.problems.count(part) - len(lines)
    return (*lines, f"... and {more} more like the last one") if more else tuple(lines)
