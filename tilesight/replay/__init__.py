"""Recorded sessions through the same path as a camera, told and compared."""
