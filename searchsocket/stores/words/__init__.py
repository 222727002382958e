"""The words of a generation, for every store: written per pack of records, searched over all of them.

`documents.py` finds the words of records, `tables.py` sorts them into flat arrays, and `pack_words.py` writes these
into one file per pack. `index.py` looks terms up in all packs of a generation, and `keywords.py` searches.
"""
