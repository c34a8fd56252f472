"""Pairings of the hub's tournaments: their changes in the database, and the games that settle them."""
