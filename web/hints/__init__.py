"""Hints that a host may allow: the tiles left with their chances, and the best places for a tile.

They are off until the host switches them on, and stay off where games may count in a tournament.
"""
