"""Photographs of games: what one picture of a board says of the score."""
