"""The embedded index: generations as folders of files. `store.py` writes and switches, `live.py` opens the live one.

A record has four names. Files and engines that cannot store the id use a number of their own:

- `id` is the name for callers: the chunk's key, a text. It is the same in every generation.
- `doc` is its number in its pack (as the rowid). An unchanged record keeps its doc from one generation to the next, and
  no doc is assigned twice. So a small change touches few rows.
- `row` is the position of its facts, and of its vector once a generation is open. Rows are in path order and without
  gaps, so a directory is a slice of the matrix. Each generation assigns new rows. `rows/` contains the id, the hash,
  the doc and the pack of every row, and the position of its vector and words in that pack (`numbering.py`).
- `slot` is the position of its vector among the staged vectors of a run, which is not used after publishing. In
  `stores/words` it is the position of a record in its pack.

Two orders decide between records with equal scores: `id_order` follows ids, and rows follow path order.
Vectors may be in a remote index (`vectors/parts.py`): it knows them by id only, not by row.

`numbering.py` converts these names for queries. In `build/`, `Origins` tell if a row is staged, or which
row of the live generation it is.
"""
