"""Limits of requests: join keys, addresses, host names, sizes, processor time, and the error of a refusal."""

from web.limits.addresses import guest_of
from web.limits.errors import ApiError
from web.limits.hosts import HostMiddleware
from web.limits.keys import Access, KeyGuard, new_key
from web.limits.pace import PaceMiddleware
from web.limits.sizes import RequestLimitMiddleware

__all__ = [
    "Access",
    "ApiError",
    "HostMiddleware",
    "KeyGuard",
    "PaceMiddleware",
    "RequestLimitMiddleware",
    "guest_of",
    "new_key",
]
