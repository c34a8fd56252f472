"""Access to the server: join keys, host names, sizes of requests, processor time, and the form of errors."""

from web.access.errors import ApiError
from web.access.hosts import HostMiddleware
from web.access.keys import KeyGuard, new_key
from web.access.limits import RequestLimitMiddleware
from web.access.pace import PaceMiddleware

__all__ = [
    "ApiError",
    "HostMiddleware",
    "KeyGuard",
    "PaceMiddleware",
    "RequestLimitMiddleware",
    "new_key",
]
