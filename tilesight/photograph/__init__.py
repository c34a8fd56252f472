"""Photographs of boards: reading, correction and score."""
