"""Limits on requests: keys, rates, host names, body sizes and processor time, and the error responses."""
