"""The cost of embedding: prices, estimates and the ledger."""
