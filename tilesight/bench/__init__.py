"""Measurements of speed, memory and accuracy: one module for each `tilesight bench` command."""
