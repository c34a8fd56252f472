"""Measurements: speed, memory and accuracy, a module for each `tilesight bench` command."""
