"""HTTP interface of one table: routes, request bodies, response shapes, events, and the phone camera's
socket."""

from web.api.boards import SQUARES, TILES, BoardKind
from web.api.phone import PhoneSink, phone_camera
from web.api.served import ServedTable, serve

__all__ = ["SQUARES", "TILES", "BoardKind", "PhoneSink", "ServedTable", "phone_camera", "serve"]
