"""The rules: immutable positions, legal turns, scores and records, with the standard library alone."""
