"""How a generation is made from the live one and what is staged."""
