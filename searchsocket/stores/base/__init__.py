"""Store interface, from the reader's side.

A store keeps generations of scopes. Every store, in any database, promises:
- a query sees one generation, whole;
- a run that dies at any point is invisible;
- a new generation can be read before the switch to it;
- rollback is a switch, and writes nothing again;
- writes are proportional to the change.

`IndexReader` combines three parts of an open generation, each with its own interface: records and page texts, words
(always ours, in `stores/words`) and vectors (`VectorIndex` of `vectors.py`, possibly on another machine). `VectorStore`
writes, switches and opens generations.

Names of generations sort by age. A remote engine stores for each row the first generation that contains it and the
first that does not (`born`, `died`), and a query of generation G filters by `born <= G < died`: an edit writes a few
rows, and a rollback none. `tests/memory_store/vectors.py` implements it in a page of code.
"""
