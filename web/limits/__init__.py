"""Limits on requests: keys, rates, host names, body sizes and processor time, and the error responses."""

from web.limits.addresses import client_of
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
    "client_of",
]
