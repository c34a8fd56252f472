"""Tournaments: pairings, results, standings and tie-breaks, without input or output."""
