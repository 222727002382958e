"""Which store is tried with which case of the contract, as a page of the documentation.

A line is a case, so none is written down twice.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence

HEAD = """# What every store is tried with

Made of the tests themselves by `pytest tests/stores/test_contract_table.py --update-golden`: a line is a case, and a
column a store that runs it. Memory is the reference in the tests; Pinecone is the server of the tests, with both kinds
of index; SQLite is the example of a store of another package. Records, words and page texts of all but memory lie in
the same folder as those of the local store, so the server 2.3.5, which takes its time, is not tried with what only
these decide. Each case fails on a store, and those of the last two contracts on an index, that finds nothing,
everything, or what was there yesterday (`tests/stores/test_store_contract_holds.py`, `test_contract_holds.py`).
"""
Tried = Mapping[str, type]  # by store, the class that runs a contract over it


def page(parts: Sequence[tuple[type, Tried]]) -> str:
    """Args: parts: contracts, and who runs them."""
    stores = list(dict.fromkeys(store for _, tried in parts for store in tried))
    lines = [HEAD, f"| case | {' | '.join(stores)} |", f"| --- {'| :---: ' * len(stores)}|"]
    for contract, tried in parts:
        for promise, cases in _promises(contract):
            lines.append(f"| **{promise}** {'| ' * len(stores)}|")
            for case in cases:
                runs = ["yes" if hasattr(tried.get(store), case) else "" for store in stores]
                lines.append(f"| {case.removeprefix('test_').replace('_', ' ')} | {' | '.join(runs)} |")
    return "\n".join(lines) + "\n"


def _promises(contract: type) -> Iterator[tuple[str, list[str]]]:
    """The first sentence of each file of a contract, with its cases in their order."""
    for kind in reversed(contract.__mro__):
        cases = [name for name, each in vars(kind).items() if name.startswith("test_") and inspect.isfunction(each)]
        if cases:
            module = inspect.getmodule(kind)
            assert module
            yield (inspect.getdoc(module) or "").split("\n")[0].split(". A subclass")[0].rstrip("."), cases
