"""The filter language: which expressions are refused, and which rows match.

docs: guides/search/filter-by-metadata. "$eq, $ne: number, string, boolean. $gt, $gte, $lt, $lte: number. $in, $nin:
string, number. $exists: boolean. $and, $or." "A metadata field can hold an array of strings. A filter on that field
matches when any value in the array satisfies it."
"""

from collections.abc import Callable, Mapping
from typing import Any

from tests.extensions.pinecone.server.refused import demand

MAX_VALUES = 10_000  # of an $in or a $nin
_SCALARS = (str, int, float, bool)
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": lambda held, asked: held > asked,
    "$gte": lambda held, asked: held >= asked,
    "$lt": lambda held, asked: held < asked,
    "$lte": lambda held, asked: held <= asked,
}


def check(where: object, data_fields: frozenset[str] = frozenset(), *, top: bool = True) -> None:
    """Refuse an expression that the service refuses.

    Args:
        data_fields: Those that the schema declares: "A data field rejects comparison operators with a 400".
    """
    demand(isinstance(where, dict), "filter must be an object")
    assert isinstance(where, dict)
    demand(bool(where) or not top, "filter must be a non-empty object of filter predicates")
    for name, asked in where.items():
        if name in ("$and", "$or"):
            demand(isinstance(asked, list) and len(asked) > 0, f"{name} takes a non-empty list")
            for each in asked:
                check(each, data_fields)
            continue
        demand(not name.startswith("$"), f"{name!r} can't appear here: nest it under a field")
        demand(name not in data_fields, f"{name!r} is a data field, which takes no comparison")
        for operator, value in (asked if isinstance(asked, dict) else {"$eq": asked}).items():
            _check_operator(operator, value)


def matches(row: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether the metadata of a row matches an expression that was checked."""
    for name, asked in where.items():
        if name == "$and":
            holds = all(matches(row, each) for each in asked)
        elif name == "$or":
            holds = any(matches(row, each) for each in asked)
        else:
            operators = asked if isinstance(asked, dict) else {"$eq": asked}
            holds = all(_holds(row.get(name), operator, value) for operator, value in operators.items())
        if not holds:
            return False
    return True


def _check_operator(operator: str, value: object) -> None:
    if operator in ("$eq", "$ne"):
        demand(isinstance(value, _SCALARS), f"{operator} takes a number, a string or a boolean")
    elif operator in _COMPARED:
        demand(isinstance(value, int | float) and not isinstance(value, bool), f"{operator} takes a number")
    elif operator in ("$in", "$nin"):
        is_list = isinstance(value, list) and all(isinstance(each, str | int | float) for each in value)
        demand(is_list, f"{operator} takes a list of strings or numbers")
        assert isinstance(value, list)
        demand(len(value) <= MAX_VALUES, f"{operator} takes at most {MAX_VALUES} values")
    else:
        demand(operator == "$exists" and isinstance(value, bool), f"{operator!r} is no operator of filters")


def _holds(held: Any, operator: str, asked: Any) -> bool:
    if operator == "$exists":
        return (held is not None) == asked
    values = held if isinstance(held, list) else [] if held is None else [held]
    if operator in _COMPARED:
        return any(
            isinstance(each, int | float) and not isinstance(each, bool) and _COMPARED[operator](float(each), asked)
            for each in values
        )
    is_among = any(_same(each, one) for each in values for one in (asked if isinstance(asked, list) else [asked]))
    return is_among if operator in ("$eq", "$in") else not is_among


def _same(held: object, asked: object) -> bool:
    return held == asked and isinstance(held, bool) == isinstance(asked, bool)
