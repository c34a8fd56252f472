"""Calibration: enrolment of printed editions, a camera's lens, the colours of the pieces."""
