"""Requests and answers: routes, shapes, keys, limits, events, the phone camera's socket."""
