"""Simulated observations of whole games, and how well the tracker's confidences bear them out."""
