"""The contract cases of each store, as a page of the documentation."""

import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence

HEAD = """# Contract tests of the stores

A line is a test case, a column a store that runs it. `pytest tests/stores/test_contract_table.py --update-golden`
writes this page from the tests.

- Memory is the reference in the tests. Pinecone is the server of the tests, with both kinds of index. SQLite is the
  example of a store in another package.
- All stores except memory have their records, words and page texts in the same folder format as the local store. The
  slow Milvus server 2.3.5 therefore skips the cases that depend only on these.
- Each case fails on a broken store: one that returns nothing, everything, or old content
  (`tests/stores/test_store_contract_holds.py`). The cases of the last two contracts fail on such an index
  (`test_contract_holds.py`).
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
    """The first line about each part of a contract, of its class or file, with its cases in their order."""
    for kind in reversed(contract.__mro__):
        cases = [name for name, each in vars(kind).items() if name.startswith("test_") and inspect.isfunction(each)]
        if cases:
            promise = kind.__doc__ or sys.modules[kind.__module__].__doc__ or ""
            yield promise.split("\n")[0].split(". A subclass")[0].rstrip("."), cases
