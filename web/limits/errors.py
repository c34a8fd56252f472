"""Error responses of all applications, which share one JSON shape and reveal no path and no stack trace.

``{"error": {"code": ..., "message": ..., "said": ...}}``
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from engine.message import Message, plain
from web.table.refusal import LogGone, NotKept, Refusal

log = logging.getLogger("tilesight.web")

CODES = {400: "bad_request", 403: "forbidden", 404: "not_found", 405: "method_not_allowed", 409: "refused"}
"""Error codes for exceptions that Starlette raises itself, by HTTP status."""


class ErrorWords(BaseModel):
    """An error, for programs and for people."""

    model_config = ConfigDict(extra="forbid")

    code: Annotated[str, Field(description="a short word for programs")]
    message: Annotated[str, Field(description="one line for people")]
    said: Annotated[dict[str, Any], Field(description="template and args of the message")]


class ErrorShape(BaseModel):
    """Body of every error response."""

    model_config = ConfigDict(extra="forbid")

    error: ErrorWords


def errors(**whens: str) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI descriptions of a route's errors by status.

    Example: ``errors(_404="there is no such turn")``.
    """
    return {int(status[1:]): {"model": ErrorShape, "description": when} for status, when in whens.items()}


class ApiError(Exception):
    """Error that becomes an HTTP error response.

    ``status`` is the HTTP status, ``code`` a word for programs, ``message`` one line for people, and
    ``headers`` are extra headers of the response.
    """

    def __init__(
        self, status: int, code: str, message: Message, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = dict(headers or {})


def error_response(
    status: int, code: str, message: Message, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return a JSON response ``{"error": {"code", "message", "said"}}`` with this status and headers."""
    error = {"code": code, "message": message, "said": message.to_json()}
    return JSONResponse({"error": error}, status, dict(headers or {}))


def install(app: FastAPI) -> None:
    """Register exception handlers on ``app``, so that every error becomes an `error_response`.

    `Refusal` becomes 409, or 404 if its code starts with ``unknown_``; `NotKept` becomes 507, or 503 if the
    log was removed; an invalid request 422; any other exception is logged and becomes 500.
    """

    async def on_api_error(_: Request, error: Exception) -> JSONResponse:
        """Return the response to an ApiError, with its own status and headers."""
        assert isinstance(error, ApiError)
        return error_response(error.status, error.code, error.message, error.headers)

    async def on_refusal(_: Request, error: Exception) -> JSONResponse:
        """Return the response to a Refusal: 404 if its code starts with ``unknown_``, else 409."""
        assert isinstance(error, Refusal)
        status = 404 if error.code.startswith("unknown_") else 409
        return error_response(status, error.code, error.message)

    async def on_not_kept(_: Request, error: Exception) -> JSONResponse:
        """Log a NotKept error and return 507, or 503 if the log was removed."""
        log.error("%s", error)
        if isinstance(error, LogGone):
            gone = Message("the table's log was removed from this computer: nothing was changed")
            return error_response(503, "log_gone", gone)
        message = Message(
            "this computer's disk takes nothing more: nothing was changed; make room and try again"
        )
        return error_response(507, "not_kept", message)

    async def on_http(_: Request, error: Exception) -> JSONResponse:
        """Return the response to an HTTPException of Starlette."""
        assert isinstance(error, HTTPException)
        code = CODES.get(error.status_code, "http_error")
        return error_response(error.status_code, code, plain(str(error.detail)), error.headers)

    async def on_invalid(_: Request, error: Exception) -> JSONResponse:
        """Return 422, with the field and the first validation error."""
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        message = f"{where}: {first['msg']}" if where else str(first["msg"])
        return error_response(422, "invalid", plain(message))

    async def on_anything(_: Request, error: Exception) -> JSONResponse:
        """Log an unexpected exception and return 500."""
        log.error("unexpected error in a request", exc_info=error)
        return error_response(500, "internal", Message("something went wrong at the table"))

    app.add_exception_handler(ApiError, on_api_error)
    app.add_exception_handler(Refusal, on_refusal)
    app.add_exception_handler(NotKept, on_not_kept)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(Exception, on_anything)
