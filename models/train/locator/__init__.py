"""Locator: recipe, networks, training pictures and judge of the three networks that find the board."""
