"""Simulated observations of whole games, which measure the tracker and the calibration of its confidences."""
