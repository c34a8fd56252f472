"""Grading of readings: photographs with reference answers, and marks for how well one was read."""
