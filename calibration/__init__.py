"""Calibration of one home: printed editions, a camera's lens, the colours of the pieces."""
