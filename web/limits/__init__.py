"""Limits of requests: keys, addresses, host names, sizes, processor time, and the error of a refusal."""

from web.limits.addresses import guest_of
from web.limits.errors import ApiError
from web.limits.hosts import HostMiddleware
from web.limits.keys import KeyGuard
from web.limits.pace import PaceMiddleware
from web.limits.sizes import RequestLimitMiddleware

__all__ = [
    "ApiError",
    "HostMiddleware",
    "KeyGuard",
    "PaceMiddleware",
    "RequestLimitMiddleware",
    "guest_of",
]
