"""The owner's rules for results: `rules.py` reads the file `curation.toml`, `live_rules.py` follows its changes."""
