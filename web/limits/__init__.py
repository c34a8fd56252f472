"""Limits of requests: join keys, host names, sizes, processor time, and the error that a refusal is."""

from web.limits.errors import ApiError
from web.limits.hosts import HostMiddleware
from web.limits.keys import KeyGuard, new_key
from web.limits.pace import PaceMiddleware
from web.limits.sizes import RequestLimitMiddleware

__all__ = [
    "ApiError",
    "HostMiddleware",
    "KeyGuard",
    "PaceMiddleware",
    "RequestLimitMiddleware",
    "new_key",
]
