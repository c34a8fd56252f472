"""Photographs with reference answers, and how well one was read."""
