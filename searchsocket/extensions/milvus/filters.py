"""Filters for Milvus. Only operators that work equally in server 2.3.5 and Lite 3.2: no LIKE, no templates."""

from collections.abc import Collection, Iterable

from searchsocket.stores.base.conditions import stored_text
from searchsocket.stores.base.labels import groups_of
from searchsocket.stores.base.vectors import canonical
from searchsocket.types import Filter

NEVER = "~"  # died: sorts after the name of every generation


def quoted(text: str) -> str:
    """A text inside an expression."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r") + '"'


def quoted_list(texts: Iterable[str]) -> str:
    """Texts inside an expression."""
    return f"[{', '.join(map(quoted, texts))}]"


def of_scope(scope_name: str) -> str:
    """All rows of a scope, of any generation."""
    return f"scope == {quoted(scope_name)}"


def visible_to(scope_name: str, generation: str) -> str:
    """The rows of one generation."""
    return f"{of_scope(scope_name)} and {_alive(generation)}"


def visible_to_none(scope_name: str, generations: Collection[str]) -> str:
    """The rows of a scope that none of these generations has."""
    if not generations:
        return of_scope(scope_name)
    alive = " or ".join(f"({_alive(generation)})" for generation in generations)
    return f"{of_scope(scope_name)} and not ({alive})"


def ended_behind(scope_name: str, generation: str) -> str:
    """The rows ended by a generation that was never published or is deleted."""
    return f"{of_scope(scope_name)} and died > {quoted(generation)} and died < {quoted(NEVER)}"


def of_later_generations(scope_name: str, generation: str) -> str:
    """The rows that later generations wrote or ended; those generations are not kept."""
    later = f"born > {quoted(generation)} or (died > {quoted(generation)} and died < {quoted(NEVER)})"
    return f"{of_scope(scope_name)} and ({later})"


def alive_before(scope_name: str, generation: str, ids: Iterable[str]) -> str:
    """The rows of records that an earlier generation wrote and none has ended."""
    alive = f"born < {quoted(generation)} and died == {quoted(NEVER)}"
    return f"{of_scope(scope_name)} and {alive} and record_id in {quoted_list(ids)}"


def matching(where: Filter) -> str:
    """The rows that a query may find; starts with `and`."""
    where = canonical(where)
    clauses = ["hidden == false"]
    if where.path_prefix:
        clauses.append(f"ARRAY_CONTAINS(directories, {quoted(stored_text(where.path_prefix))})")
    if where.directories:
        clauses.append(f"ARRAY_CONTAINS_ANY(directories, {quoted_list(map(stored_text, where.directories))})")
    clauses += [f"ARRAY_CONTAINS(tags, {quoted(stored_text(tag))})" for tag in where.tags]
    clauses += [f"ARRAY_CONTAINS_ANY(labels, {quoted_list(map(stored_text, group))})" for group in groups_of(where)]
    return "".join(f" and {clause}" for clause in clauses)


def _alive(generation: str) -> str:
    name = quoted(generation)
    return f"born <= {name} and died > {name}"
